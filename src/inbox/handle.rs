use std::{fmt, net::SocketAddr, sync::Arc};

use axum::{Router, body::Body, http::Request};

use super::{arrival::Callbacks, core::Core, counts::Counts, receive::receive, server::Server};
use crate::{
    Error, Operation,
    callback::{CallbackAddress, CallbackEndpoint},
};

/// Receives callbacks, stores them, and gives them to whoever waits for them. Cloning is cheap; clones share
/// everything.
///
/// In a server of your own, [`build`](super::InboxBuilder::build) it and nest its [`router`](Self::router); for a
/// script, [`bind`](Self::bind) it to an address.
#[derive(Clone)]
pub struct Inbox {
    core: Arc<Core>,
    /// Ends with the last clone.
    server: Option<Arc<Server>>,
}

impl Inbox {
    pub(super) fn new(core: Arc<Core>, server: Option<Server>) -> Self {
        Self { core, server: server.map(Arc::new) }
    }

    pub(super) fn core(&self) -> &Arc<Core> {
        &self.core
    }

    /// The routes, to nest in your own axum application at the path of the public base URL. Any path below is accepted
    /// that ends in the token of an address; anything else is answered 404.
    ///
    /// The body limit and the timeout for bodies are those of the inbox. A slow head of a request is for the server
    /// that the router is nested in to cut off: axum's own `serve` does not, so put a proxy in front that does, or use
    /// [`bind`](super::InboxBuilder::bind).
    ///
    /// ```
    /// # fn main() -> Result<(), business_data_connector::Error> {
    /// use business_data_connector::{callback::CallbackKey, inbox::Inbox};
    ///
    /// let key = CallbackKey::new(1, b"32 bytes that were read at start")?;
    /// let inbox = Inbox::builder("https://partner.example/callbacks", key).build()?;
    /// let application: axum::Router = axum::Router::new().nest("/callbacks", inbox.router());
    /// # Ok(())
    /// # }
    /// ```
    pub fn router(&self) -> Router {
        let core = self.core.clone();
        Router::new().fallback(move |request: Request<Body>| receive(core.clone(), request))
    }

    /// Makes addresses and verifies callbacks, with the keys of this inbox.
    pub fn endpoint(&self) -> &CallbackEndpoint {
        &self.core.endpoint
    }

    /// The address that is listened on; `None` for an inbox that was not [bound](Self::bind).
    pub fn local_address(&self) -> Option<SocketAddr> {
        self.server.as_ref().map(|server| server.address)
    }

    /// A new address for a request that is sent elsewhere: its `webhook`, and its
    /// [`signature`](CallbackAddress::signature). Its callback is in [`callbacks`](Self::callbacks), or can be awaited
    /// with [`wait_for`](Self::wait_for).
    ///
    /// # Errors
    /// As [`CallbackEndpoint::address_for`].
    pub fn address_for(&self, operation: &Operation, uid: Option<&str>) -> Result<CallbackAddress, Error> {
        self.core.endpoint.address_for(operation.id, uid)
    }

    /// Every callback that is not handled, oldest first, and then every one that arrives, except those that somebody in
    /// this process waits for. With a store that outlives the process, it begins with those from before the restart.
    ///
    /// Each stream returns each callback once. Await [`Received::done`](super::Received::done) when you have used it.
    /// One stream per store is usual: several return the same callbacks.
    pub fn callbacks(&self) -> Callbacks {
        Callbacks::new(self.core.clone())
    }

    /// What was received so far.
    pub fn counts(&self) -> Counts {
        self.core.counters.read()
    }
}

impl fmt::Debug for Inbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Inbox")
            .field("endpoint", &self.core.endpoint)
            .field("bound", &self.server.is_some())
            .field("counts", &self.counts())
            .finish_non_exhaustive()
    }
}
