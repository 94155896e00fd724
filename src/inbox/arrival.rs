//! Callbacks that were received, one by one.

use std::{collections::BTreeSet, fmt, ops::Deref, pin::Pin, sync::Arc, task, time::SystemTime};

use futures_util::{Stream, stream};

use super::{
    core::{self, Core},
    store::{StoreError, StoredCallback},
};
use crate::callback::Callback;

/// A callback that was received, verified and stored. It dereferences to its [`Callback`].
///
/// With a store that outlives the process, it is delivered again after a restart unless [`done`](Self::done) was
/// awaited.
#[derive(Clone)]
pub struct Received {
    callback: Callback,
    order: Order,
    late: bool,
    at: SystemTime,
    number: u64,
    core: Arc<Core>,
}

/// Where a callback stands among those of its request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Order {
    /// Another one is announced.
    Interim,
    /// It is the first one that announces no other.
    Final,
    /// The final one arrived before it: it was overtaken, or the service sent a second final one. It does not undo the
    /// final one; compare their [`timestamp`](Callback::timestamp).
    AfterFinal,
}

impl Received {
    pub(super) fn new(core: Arc<Core>, stored: StoredCallback) -> Self {
        let StoredCallback { number, after_final, callback } = stored;
        let order = match (after_final, callback.interim) {
            (true, _) => Order::AfterFinal,
            (false, true) => Order::Interim,
            (false, false) => Order::Final,
        };
        let (late, at) = (callback.late, callback.received);
        Self { callback: core::verified(callback), order, late, at, number, core }
    }

    /// The callback.
    pub fn callback(&self) -> &Callback {
        &self.callback
    }

    /// The callback, on its own.
    pub fn into_callback(self) -> Callback {
        self.callback
    }

    /// Where it stands among the callbacks of its request.
    pub fn order(&self) -> Order {
        self.order
    }

    /// Whether it arrived after its address had expired.
    pub fn is_late(&self) -> bool {
        self.late
    }

    /// When it was received.
    pub fn received_at(&self) -> SystemTime {
        self.at
    }

    /// Marks it as handled, so that it is not delivered again. Await it once you have used what it says.
    ///
    /// # Errors
    /// If the store fails; the callback is then delivered again after a restart.
    pub async fn done(&self) -> Result<(), StoreError> {
        self.core.store.set_handled(self.number).await
    }

    /// The same, where nothing outlives the process: whoever has it has used it.
    pub(super) async fn done_unless_durable(&self) -> Result<(), StoreError> {
        match self.core.store.is_durable() {
            true => Ok(()),
            false => self.done().await,
        }
    }
}

impl Deref for Received {
    type Target = Callback;

    fn deref(&self) -> &Callback {
        &self.callback
    }
}

impl fmt::Debug for Received {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Received")
            .field("callback", &self.callback)
            .field("order", &self.order)
            .field("late", &self.late)
            .finish_non_exhaustive()
    }
}

/// The stream that [`Inbox::callbacks`](super::Inbox::callbacks) returns.
pub struct Callbacks(Pin<Box<dyn Stream<Item = Result<Received, StoreError>> + Send>>);

impl Callbacks {
    pub(super) fn new(core: Arc<Core>) -> Self {
        let released = core.released();
        let state = Cursor { core, after: 0, awaited: BTreeSet::new(), released };
        Self(Box::pin(stream::unfold(state, |mut state| async move { Some((state.next().await, state)) })))
    }

    /// The next callback. It waits until there is one.
    ///
    /// # Errors
    /// If the store fails. The stream can be used on.
    pub async fn next(&mut self) -> Result<Received, StoreError> {
        match std::future::poll_fn(|context| self.0.as_mut().poll_next(context)).await {
            Some(next) => next,
            // It ends only with the process.
            None => std::future::pending().await,
        }
    }
}

impl Stream for Callbacks {
    type Item = Result<Received, StoreError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut task::Context<'_>) -> task::Poll<Option<Self::Item>> {
        self.0.as_mut().poll_next(context)
    }
}

impl fmt::Debug for Callbacks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Callbacks").finish_non_exhaustive()
    }
}

/// Goes through the callbacks that are not handled, once each.
struct Cursor {
    core: Arc<Core>,
    after: u64,
    /// The numbers behind the cursor that somebody was waiting for.
    awaited: BTreeSet<u64>,
    /// The value of `Core::released` when those were last looked at.
    released: u64,
}

impl Cursor {
    async fn next(&mut self) -> Result<Received, StoreError> {
        let mut arrivals = self.core.arrivals();
        loop {
            arrivals.mark_unchanged();
            let released = self.core.released();
            if released != self.released {
                if let Some(stored) = self.left_behind().await? {
                    return Ok(Received::new(self.core.clone(), stored));
                }
                self.released = released;
            }
            while let Some(stored) = self.first_after(self.after).await? {
                self.after = stored.number;
                if !self.core.is_awaited(stored.callback.id) {
                    return Ok(Received::new(self.core.clone(), stored));
                }
                self.awaited.insert(stored.number);
            }
            core::changed(&mut arrivals, self.core.store.poll_interval(), None).await;
        }
    }

    /// A callback that somebody was waiting for and did not take.
    async fn left_behind(&mut self) -> Result<Option<StoredCallback>, StoreError> {
        for number in self.awaited.clone() {
            match self.first_after(number.saturating_sub(1)).await? {
                Some(stored) if stored.number == number => {
                    if !self.core.is_awaited(stored.callback.id) {
                        self.awaited.remove(&number);
                        return Ok(Some(stored));
                    }
                }
                // It was handled.
                _ => _ = self.awaited.remove(&number),
            }
        }
        Ok(None)
    }

    async fn first_after(&self, number: u64) -> Result<Option<StoredCallback>, StoreError> {
        Ok(self.core.store.unhandled(number, 1).await?.into_iter().next())
    }
}
