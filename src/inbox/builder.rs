use std::{fmt, sync::Arc, time::Duration};

use tokio::net::{TcpListener, ToSocketAddrs};

use super::{core::Core, handle::Inbox, memory::MemoryStore, server::Server, store::Store};
use crate::{
    Error,
    callback::{CallbackEndpoint, CallbackKey, CallbackKeys},
};

/// Configures an [`Inbox`].
#[must_use]
pub struct InboxBuilder {
    /// `None` for the address that is listened on.
    public_url: Option<String>,
    keys: CallbackKeys,
    lifetime: Duration,
    store: Arc<dyn Store>,
    body_limit: usize,
    read_timeout: Duration,
}

impl Inbox {
    /// Configures an inbox below a public base URL, such as `https://partner.example/callbacks`, with the keys that
    /// sign and verify its addresses. The conditions for the URL are those of [`CallbackEndpoint::new`].
    pub fn builder(public_url: &str, keys: impl Into<CallbackKeys>) -> InboxBuilder {
        InboxBuilder::new(Some(public_url.to_owned()), keys.into())
    }

    /// Listens on an address, for scripts: with a random key, and in memory. `public_url` is the base URL under which
    /// the service reaches it, or `None` for the address itself, which suits a service on this machine, such as the
    /// sandbox.
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), business_data_connector::Error> {
    /// use business_data_connector::inbox::Inbox;
    ///
    /// let inbox = Inbox::bind("127.0.0.1:0", None).await?;
    /// assert!(inbox.endpoint().base_url().starts_with("http://127.0.0.1:"));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`InboxBuilder::bind`].
    pub async fn bind(address: impl ToSocketAddrs, public_url: Option<&str>) -> Result<Self, Error> {
        let keys = CallbackKey::random(0)?.into();
        InboxBuilder::new(public_url.map(str::to_owned), keys).bind(address).await
    }
}

impl InboxBuilder {
    /// The default of [`body_limit`](Self::body_limit): 16 MiB. A pull of 12,000 records has 2.5 MB.
    pub const DEFAULT_BODY_LIMIT: usize = 16 * 1024 * 1024;
    /// The default of [`read_timeout`](Self::read_timeout): 30 s.
    pub const DEFAULT_READ_TIMEOUT: Duration = Duration::from_secs(30);

    fn new(public_url: Option<String>, keys: CallbackKeys) -> Self {
        Self {
            public_url,
            keys,
            lifetime: CallbackEndpoint::DEFAULT_LIFETIME,
            store: Arc::new(MemoryStore::new()),
            body_limit: Self::DEFAULT_BODY_LIMIT,
            read_timeout: Self::DEFAULT_READ_TIMEOUT,
        }
    }

    /// Sets where callbacks are kept until they are handled. The default is a [`MemoryStore`].
    pub fn store(mut self, store: impl Store) -> Self {
        self.store = Arc::new(store);
        self
    }

    /// Sets how long an address is on time: see [`CallbackEndpoint::lifetime`]. A callback that arrives later is
    /// accepted and [marked](super::Received::is_late).
    pub fn lifetime(mut self, lifetime: Duration) -> Self {
        self.lifetime = lifetime;
        self
    }

    /// Sets the size of the largest body that is accepted, in bytes. A larger one is answered 413 and logged as an
    /// error.
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.body_limit = bytes;
        self
    }

    /// Sets how long a body may take to arrive. A slower one is answered 408.
    pub fn read_timeout(mut self, timeout: Duration) -> Self {
        self.read_timeout = timeout;
        self
    }

    /// Builds an inbox whose [`router`](Inbox::router) you serve.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the public base URL cannot be used.
    pub fn build(self) -> Result<Inbox, Error> {
        let url = self.public_url.clone();
        let url = url.ok_or_else(|| Error::invalid("callbacks: a public base URL is required"))?;
        Ok(Inbox::new(self.core(&url)?, None))
    }

    /// Listens on an address, and serves until the last clone of the inbox is dropped. It speaks HTTP; where callbacks
    /// come over the internet, a proxy that ends TLS belongs in front of it.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the address cannot be listened on, or the public base URL cannot be used.
    pub async fn bind(self, address: impl ToSocketAddrs) -> Result<Inbox, Error> {
        let problem = |error| Error::invalid(format!("callbacks cannot be received: {error}"));
        let listener = TcpListener::bind(address).await.map_err(problem)?;
        let address = listener.local_addr().map_err(problem)?;
        let core = self.core(&self.public_url.clone().unwrap_or_else(|| format!("http://{address}")))?;
        Ok(Inbox::new(core.clone(), Some(Server::start(listener, address, core))))
    }

    fn core(&self, url: &str) -> Result<Arc<Core>, Error> {
        let endpoint = CallbackEndpoint::new(url, self.keys.clone())?.lifetime(self.lifetime);
        Ok(Arc::new(Core::new(endpoint, self.store.clone(), self.body_limit, self.read_timeout)))
    }
}

impl fmt::Debug for InboxBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InboxBuilder")
            .field("public_url", &self.public_url)
            .field("keys", &self.keys)
            .field("body_limit", &self.body_limit)
            .field("read_timeout", &self.read_timeout)
            .finish_non_exhaustive()
    }
}
