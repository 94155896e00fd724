//! The result of a call that was awaited to its callback.

use std::{fmt, marker::PhantomData, ops::Deref};

use super::{arrival::Received, store::StoreError};
use crate::{
    Asynchronous, Reply,
    callback::{Callback, UnreadableResponse},
};

/// A request that the service has executed, as its final callback reports. It dereferences to that [`Callback`].
pub struct Completed<R> {
    received: Received,
    interim: Vec<Received>,
    reply: Option<Reply>,
    request: PhantomData<fn() -> R>,
}

impl<R> Completed<R> {
    pub(super) fn new(received: Received, interim: Vec<Received>, reply: Option<Reply>) -> Self {
        Self { received, interim, reply, request: PhantomData }
    }

    /// `response`, in the shape that the document knows for the operation. Every field of it is optional, since none is
    /// specified; [`response_bytes`](Callback::response_bytes) has what the shape leaves out.
    ///
    /// # Errors
    /// [`UnreadableResponse`] if the callback has no `response`, or one of another shape.
    pub fn response(&self) -> Result<R::Response, UnreadableResponse>
    where
        R: Asynchronous,
    {
        self.callback().response()
    }

    /// The final callback, as it was verified.
    pub fn callback(&self) -> &Callback {
        self.received.callback()
    }

    /// The final callback, as it was received.
    pub fn received(&self) -> &Received {
        &self.received
    }

    /// The interim callbacks that arrived before it.
    pub fn interim(&self) -> &[Received] {
        &self.interim
    }

    /// The reply; `None` if the call failed in a way that left it unknown whether the service accepted the request.
    pub fn reply(&self) -> Option<&Reply> {
        self.reply.as_ref()
    }

    /// Marks the callbacks as handled, so that a store that outlives the process does not deliver them again. Await it
    /// once you have used what they say. With [`MemoryStore`](super::MemoryStore) nothing is left to do.
    ///
    /// # Errors
    /// If the store fails; the callbacks are then delivered again after a restart.
    pub async fn done(&self) -> Result<(), StoreError> {
        for received in self.interim.iter().chain([&self.received]) {
            received.done().await?;
        }
        Ok(())
    }
}

impl<R> Deref for Completed<R> {
    type Target = Callback;

    fn deref(&self) -> &Callback {
        self.received.callback()
    }
}

impl<R> fmt::Debug for Completed<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Completed")
            .field("received", &self.received)
            .field("interim", &self.interim.len())
            .field("reply", &self.reply)
            .finish()
    }
}
