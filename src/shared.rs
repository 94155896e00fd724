//! What every call of a connector needs.

use std::time::Duration;

use reqwest::header::HeaderMap;

use crate::{RetryPolicy, credentials::Credentials};

/// The settings and connections behind a [`Connector`](crate::Connector) and its clones.
pub(crate) struct Shared {
    /// Without a trailing slash.
    pub(crate) base_url: String,
    pub(crate) client: reqwest::Client,
    pub(crate) credentials: Credentials,
    /// The headers of every request, beside those of the generated client.
    pub(crate) headers: HeaderMap,
    pub(crate) timeout: Option<Duration>,
    pub(crate) retry_policy: RetryPolicy,
    pub(crate) reply_limit: usize,
    #[cfg(feature = "testing")]
    pub(crate) canned: Option<std::sync::Arc<dyn Canned>>,
}

/// Answers in place of a service. The body is without credentials.
#[cfg(feature = "testing")]
pub(crate) trait Canned: Send + Sync {
    fn answer(&self, operation: &'static crate::Operation, body: String) -> Result<crate::Reply, crate::Error>;
}
