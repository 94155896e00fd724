use std::{fmt, sync::Arc, time::Duration};

use crate::{Call, ConnectorBuilder, Error, Request, credentials::Credentials};

/// The way to the service: one method per operation, named as in the document.
///
/// A clone is cheap and shares the connections. Needs a Tokio runtime with time and I/O enabled.
#[derive(Clone)]
pub struct Connector {
    shared: Arc<Shared>,
}

/// What every call needs.
pub(crate) struct Shared {
    /// Without a slash at its end.
    pub(crate) base_url: String,
    pub(crate) client: reqwest::Client,
    pub(crate) credentials: Credentials,
    pub(crate) user_agent: reqwest::header::HeaderValue,
    pub(crate) deadline: Option<Duration>,
    pub(crate) attempts: u32,
    pub(crate) reply_limit: usize,
}

impl Connector {
    /// Sets up a connector.
    pub fn builder() -> ConnectorBuilder {
        ConnectorBuilder::new()
    }

    /// A connector set up by the environment: `BDC_BASE_URL`, `BDC_APIKEY`, `BDC_APPID`, and `BDC_HEADER_KEY`, which may
    /// be absent. To set more, begin with [`ConnectorBuilder::from_env`].
    ///
    /// # Errors
    /// [`Error::Invalid`], naming every variable that is missing, or what is wrong with what one says.
    pub fn from_env() -> Result<Self, Error> {
        ConnectorBuilder::from_env()?.build()
    }

    /// A call of whichever operation the request belongs to.
    pub fn send<R: Request>(&self, request: R) -> Call<R> {
        Call::new(self.clone(), request)
    }

    pub(crate) fn new(shared: Shared) -> Self {
        Self { shared: Arc::new(shared) }
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }
}

impl fmt::Debug for Connector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connector")
            .field("base_url", &self.shared.base_url)
            .field("credentials", &self.shared.credentials)
            .field("deadline", &self.shared.deadline)
            .field("attempts", &self.shared.attempts)
            .field("reply_limit", &self.shared.reply_limit)
            .finish_non_exhaustive()
    }
}
