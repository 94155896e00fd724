use std::{fmt, path::PathBuf, sync::Arc};

use business_data_connector::Request;
use tokio::sync::{Notify, broadcast};

use crate::{
    Counts, Decision, Entry, Event, OutboxError, Pause, Staged, State,
    entry::DecisionKind,
    lock::Lock,
    store::{Added, NewPause, Store},
    time::{Clock, SystemClock},
};

/// Requests that are to be sent, are sent, or were sent, in a database. Cloning is cheap.
#[derive(Clone)]
pub struct Outbox {
    store: Arc<dyn Store>,
    /// Tells the worker in this process that there is something to send.
    wake: Arc<Notify>,
    events: broadcast::Sender<Event>,
    /// The file that a worker locks; `None` if several may send.
    lock: Option<PathBuf>,
}

/// How many events are kept for a receiver that is slow.
const EVENTS: usize = 4096;

/// What [`Outbox::enqueue`] did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Enqueued {
    /// It was added under this number.
    New(i64),
    /// The same request, of the same record, was there already.
    There,
}

impl Outbox {
    pub(crate) fn new(store: Arc<dyn Store>, lock: Option<PathBuf>) -> Self {
        Self { store, wake: Arc::default(), events: broadcast::Sender::new(EVENTS), lock }
    }

    /// Adds a request. Once this returns, it survives the end of the process, and a worker sends it.
    ///
    /// A record is known by its operation, its business and its `id`. The same one again with the same content is
    /// [left out](Enqueued::There).
    ///
    /// # Errors
    /// As [`Staged::new`]; [`OutboxError::Differs`] if another content has the same `id`; otherwise if the store fails.
    pub async fn enqueue<R: Request>(&self, request: &R) -> Result<Enqueued, OutboxError> {
        self.enqueue_staged(Staged::new(request)?).await
    }

    /// Adds a request that was examined before.
    ///
    /// # Errors
    /// As [`enqueue`](Self::enqueue).
    pub async fn enqueue_staged(&self, staged: Staged) -> Result<Enqueued, OutboxError> {
        let added = self.add(vec![staged]).await?.into_iter().next();
        match added {
            Some(Added::New(number)) => Ok(Enqueued::New(number)),
            Some(Added::There) => Ok(Enqueued::There),
            Some(Added::Differs(staged)) => Err(differs(&staged)),
            None => Err(OutboxError::store("the outbox added nothing")),
        }
    }

    pub(crate) async fn add(&self, staged: Vec<Staged>) -> Result<Vec<Added>, OutboxError> {
        let added = self.store.add(staged).await?;
        self.wake.notify_waiters();
        Ok(added)
    }

    /// What is known of a record of a business, by its `id`; `None` if the outbox does not have it.
    ///
    /// # Errors
    /// [`OutboxError::Ambiguous`] if records of several operations have this `id`; otherwise if the store fails.
    pub async fn outcome(&self, uid: &str, record_id: &str) -> Result<Option<Entry>, OutboxError> {
        let found = self.store.find(uid.to_owned(), record_id.to_owned()).await?;
        let mut operations: Vec<_> = found.iter().map(|entry| entry.operation.clone()).collect();
        operations.sort_unstable();
        operations.dedup();
        match operations.len() {
            0 | 1 => Ok(found.into_iter().next()),
            _ => Err(OutboxError::Ambiguous { record_id: record_id.to_owned(), operations }),
        }
    }

    /// The same, of one operation.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn outcome_of(&self, operation: &str, uid: &str, id: &str) -> Result<Option<Entry>, OutboxError> {
        let found = self.store.find(uid.to_owned(), id.to_owned()).await?;
        Ok(found.into_iter().find(|entry| entry.operation == operation))
    }

    /// The request with a number.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn entry(&self, number: i64) -> Result<Option<Entry>, OutboxError> {
        self.store.entry(number).await
    }

    /// The first `limit` requests with a number above `after`, in the order of their numbers; of one state, or of all.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn entries(&self, state: Option<State>, after: i64, limit: usize) -> Result<Vec<Entry>, OutboxError> {
        self.store.entries(state, after, limit).await
    }

    /// How many requests there are in each state, and since when the oldest is in it.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn counts(&self) -> Result<Counts, OutboxError> {
        self.store.counts().await
    }

    /// Every change of state from now on, after it was committed. A receiver that is slow misses the oldest, and is
    /// told how many.
    pub fn events(&self) -> broadcast::Receiver<Event> {
        self.events.subscribe()
    }

    /// Decides that a request is to be sent again. It may be recorded twice if the service has it.
    ///
    /// `by` and `why` are kept, and returned by [`decisions`](Self::decisions).
    ///
    /// # Errors
    /// [`OutboxError::NotFound`]; [`OutboxError::NotPossible`] unless it is unknown, unconfirmed, refused or parked.
    pub async fn resend(&self, number: i64, by: &str, why: &str) -> Result<(), OutboxError> {
        self.decide(number, DecisionKind::Resend, by, why).await
    }

    /// Decides that the service has a request.
    ///
    /// # Errors
    /// [`OutboxError::NotFound`]; [`OutboxError::NotPossible`] unless it is taken, unknown or unconfirmed.
    pub async fn accept(&self, number: i64, by: &str, why: &str) -> Result<(), OutboxError> {
        self.decide(number, DecisionKind::Accept, by, why).await
    }

    /// Decides that a request is not needed. A corrected one can be enqueued with the same `id` then.
    ///
    /// # Errors
    /// [`OutboxError::NotFound`]; [`OutboxError::NotPossible`] if it is under way, taken, confirmed or dropped.
    pub async fn drop(&self, number: i64, by: &str, why: &str) -> Result<(), OutboxError> {
        self.decide(number, DecisionKind::Drop, by, why).await
    }

    async fn decide(&self, number: i64, kind: DecisionKind, by: &str, why: &str) -> Result<(), OutboxError> {
        let event = self.store.decide(SystemClock.now(), number, kind, by.to_owned(), why.to_owned()).await?;
        // Nobody may listen.
        let _ = self.events.send(event);
        self.wake.notify_waiters();
        Ok(())
    }

    /// The decisions about a request, oldest first.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn decisions(&self, number: i64) -> Result<Vec<Decision>, OutboxError> {
        self.store.decisions(number).await
    }

    /// Sends nothing more to a business, or at all (`None`), until [`resume`](Self::resume) is called. What is under
    /// way is not stopped.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn pause(&self, uid: Option<&str>, why: &str) -> Result<(), OutboxError> {
        let pause = NewPause { until: None, reason: why.to_owned() };
        self.store.pause(SystemClock.now(), uid.map(str::to_owned), pause).await
    }

    /// Ends a pause, such as after the credentials were corrected. Returns `false` if there was none.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn resume(&self, uid: Option<&str>) -> Result<bool, OutboxError> {
        let resumed = self.store.resume(uid.map(str::to_owned)).await?;
        self.wake.notify_waiters();
        Ok(resumed)
    }

    /// What is paused, and why: by a person, because the service did not accept the credentials (401) or asked to wait
    /// (429, 503), or because something else than the service answered.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn pauses(&self) -> Result<Vec<Pause>, OutboxError> {
        self.store.pauses().await
    }

    pub(crate) fn store(&self) -> &Arc<dyn Store> {
        &self.store
    }

    pub(crate) fn wake(&self) -> &Arc<Notify> {
        &self.wake
    }

    pub(crate) fn sender(&self) -> &broadcast::Sender<Event> {
        &self.events
    }

    pub(crate) fn lock(&self) -> Result<Lock, OutboxError> {
        #[cfg(feature = "sqlite")]
        if let Some(file) = &self.lock {
            return Lock::on(file);
        }
        Ok(Lock::default())
    }
}

pub(crate) fn differs(staged: &Staged) -> OutboxError {
    OutboxError::Differs {
        operation: staged.operation().to_owned(),
        record_id: staged.record_id().unwrap_or_default().to_owned(),
    }
}

impl fmt::Debug for Outbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outbox").field("lock", &self.lock).finish_non_exhaustive()
    }
}
