//! What the parts of an inbox share: it verifies and stores what arrives, and wakes those who wait for it.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, SystemTime},
};

use bytes::Bytes;
use sha2::{Digest, Sha256};
use tokio::{sync::watch, time::Instant};

use super::{
    counts::{Counters, count},
    store::{Added, NewCallback, Store, StoreError, StoredCallback},
};
use crate::callback::{Callback, CallbackEndpoint, CallbackError, CallbackId, Claims};

pub(super) struct Core {
    pub(super) endpoint: CallbackEndpoint,
    pub(super) store: Arc<dyn Store>,
    /// In bytes.
    pub(super) body_limit: usize,
    pub(super) read_timeout: Duration,
    pub(super) counters: Counters,
    /// Grows with each arrival.
    arrivals: watch::Sender<u64>,
    /// Grows each time that somebody stops waiting.
    released: AtomicU64,
    /// For each awaited address, what is sent a value with each arrival at it.
    waiting: Mutex<HashMap<CallbackId, watch::Sender<u64>>>,
}

/// What became of a delivery.
#[derive(Debug)]
pub(super) enum Delivery {
    New,
    Duplicate,
    /// It is not a callback of this endpoint.
    Rejected(CallbackError),
    NotStored(StoreError),
}

impl Core {
    pub(super) fn new(
        endpoint: CallbackEndpoint,
        store: Arc<dyn Store>,
        body_limit: usize,
        read_timeout: Duration,
    ) -> Self {
        Self {
            endpoint,
            store,
            body_limit,
            read_timeout,
            counters: Counters::default(),
            arrivals: watch::Sender::new(0),
            released: AtomicU64::new(0),
            waiting: Mutex::default(),
        }
    }

    /// Reads and stores a callback whose address is proven.
    pub(super) async fn deliver(&self, claims: Claims, body: Bytes) -> Delivery {
        let received = SystemTime::now();
        let digest = Sha256::digest(&body).into();
        let (callback, late) = match self.endpoint.read(claims, body, received) {
            Ok(callback) => (callback, false),
            Err(CallbackError::Expired { callback }) => (*callback, true),
            Err(error) => return Delivery::Rejected(error),
        };
        let id = callback.id();
        let callback = NewCallback {
            id,
            digest,
            operation: callback.claims.operation.clone(),
            uid: callback.claims.uid.clone(),
            expires: callback.claims.expires,
            interim: callback.is_interim(),
            late,
            echo: callback.signature_echo(),
            awaited: self.is_awaited(id),
            received,
            body: callback.bytes().clone(),
        };
        match self.store.add(callback).await {
            Ok(Added::New(_)) => {
                // Whoever is woken finds it counted.
                count(&self.counters.new);
                self.arrivals.send_modify(|arrivals| *arrivals += 1);
                if let Some(sender) = self.waiting().get(&id) {
                    sender.send_modify(|arrivals| *arrivals += 1);
                }
                Delivery::New
            }
            Ok(Added::Duplicate) => Delivery::Duplicate,
            Err(error) => Delivery::NotStored(error),
        }
    }

    pub(super) fn arrivals(&self) -> watch::Receiver<u64> {
        self.arrivals.subscribe()
    }

    pub(super) fn released(&self) -> u64 {
        self.released.load(Ordering::Acquire)
    }

    pub(super) fn is_awaited(&self, id: CallbackId) -> bool {
        self.waiting().contains_key(&id)
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<CallbackId, watch::Sender<u64>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Somebody who waits for the callbacks of an address, from its creation on.
pub(super) struct Waiter {
    core: Arc<Core>,
    id: CallbackId,
    arrivals: watch::Receiver<u64>,
    /// The number of the last callback that was returned.
    after: u64,
}

impl Waiter {
    pub(super) fn new(core: Arc<Core>, id: CallbackId) -> Self {
        let arrivals = core.waiting().entry(id).or_insert_with(|| watch::Sender::new(0)).subscribe();
        Self { core, id, arrivals, after: 0 }
    }

    pub(super) fn core(&self) -> &Arc<Core> {
        &self.core
    }

    /// The next callback of the address; `None` if none arrives until the deadline.
    pub(super) async fn next(&mut self, deadline: Option<Instant>) -> Result<Option<StoredCallback>, StoreError> {
        loop {
            self.arrivals.mark_unchanged();
            let found = self.core.store.of_address(self.id, self.after).await?.into_iter().next();
            if let Some(stored) = found {
                self.after = stored.number;
                return Ok(Some(stored));
            }
            if !changed(&mut self.arrivals, self.core.store.poll_interval(), deadline).await {
                return Ok(None);
            }
        }
    }
}

impl Drop for Waiter {
    fn drop(&mut self) {
        let mut waiting = self.core.waiting();
        // This one has not gone yet.
        if waiting.get(&self.id).is_some_and(|sender| sender.receiver_count() <= 1) {
            waiting.remove(&self.id);
        }
        drop(waiting);
        self.core.released.fetch_add(1, Ordering::Release);
        self.core.arrivals.send_modify(|arrivals| *arrivals += 1);
    }
}

/// Waits until something may have arrived; `false` if the deadline comes first.
pub(super) async fn changed(
    arrivals: &mut watch::Receiver<u64>,
    poll_interval: Option<Duration>,
    deadline: Option<Instant>,
) -> bool {
    let poll = poll_interval.and_then(|interval| Instant::now().checked_add(interval));
    let until = match (poll, deadline) {
        (Some(poll), Some(deadline)) => Some(poll.min(deadline)),
        (poll, deadline) => poll.or(deadline),
    };
    let changed = match until {
        Some(until) => tokio::time::timeout_at(until, arrivals.changed()).await.is_ok(),
        None => arrivals.changed().await.is_ok(),
    };
    changed || deadline.is_none_or(|deadline| Instant::now() < deadline)
}

/// The callback as it was verified when it was stored.
pub(super) fn verified(stored: NewCallback) -> Callback {
    let NewCallback { id, operation, uid, expires, echo, body, .. } = stored;
    // Which key signed the address is not needed any more.
    let mut callback = Callback::new(Claims { key: 0, expires, id, operation, uid }, body);
    callback.echo = echo;
    callback
}
