use std::{env::VarError, fmt, time::Duration};

use reqwest::ClientBuilder;
use secrecy::SecretString;

use crate::{
    Connector, Error, RetryPolicy, base_url,
    credentials::Credentials,
    http_client::{self, Configure},
    shared::Shared,
};

/// Builds a [`Connector`]. A base URL and credentials are required; everything else has a default.
///
/// ```
/// # fn main() -> Result<(), business_data_connector::Error> {
/// use std::time::Duration;
/// use business_data_connector::Connector;
///
/// let connector = Connector::builder()
///     .base_url("http://127.0.0.1:4010")
///     .credentials("my-apikey", "my-appid")
///     .header_key("my-header-key")
///     .timeout(Duration::from_secs(20))
///     .build()?;
/// # Ok(())
/// # }
/// ```
#[derive(Default)]
#[must_use]
pub struct ConnectorBuilder {
    base_url: Option<String>,
    apikey: Option<SecretString>,
    appid: Option<SecretString>,
    header_key: Option<SecretString>,
    timeout: Option<Option<Duration>>,
    connect_timeout: Option<Duration>,
    retry_policy: RetryPolicy,
    reply_limit: Option<usize>,
    user_agent: Option<String>,
    configure: Option<Configure>,
    #[cfg(feature = "testing")]
    canned: Option<std::sync::Arc<dyn crate::shared::Canned>>,
}

impl Connector {
    /// Returns a builder.
    pub fn builder() -> ConnectorBuilder {
        ConnectorBuilder::new()
    }

    /// Builds a connector from the environment variables `BDC_BASE_URL`, `BDC_APIKEY`, `BDC_APPID` and
    /// `BDC_HEADER_KEY`, of which the last is optional. To set more, start from [`ConnectorBuilder::from_env`].
    ///
    /// # Errors
    /// [`Error::Invalid`], naming every variable that is missing, or what is wrong with one.
    pub fn from_env() -> Result<Self, Error> {
        ConnectorBuilder::from_env()?.build()
    }
}

impl ConnectorBuilder {
    const TIMEOUT: Duration = Duration::from_secs(60);
    const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
    const REPLY_LIMIT: usize = 8 * 1024 * 1024;
    const USER_AGENT: &'static str = concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION"));

    /// A builder with nothing set.
    pub fn new() -> Self {
        Self::default()
    }

    /// A builder with the values of the environment variables `BDC_BASE_URL`, `BDC_APIKEY`, `BDC_APPID` and
    /// `BDC_HEADER_KEY`; an empty one counts as not set. Setters override them, and [`build`](Self::build) reports what
    /// is missing.
    ///
    /// # Errors
    /// [`Error::Invalid`], naming a variable that is not valid Unicode.
    pub fn from_env() -> Result<Self, Error> {
        Self::from_variables(|name| std::env::var(name))
    }

    fn from_variables(read: impl Fn(&str) -> Result<String, VarError>) -> Result<Self, Error> {
        let get = |name: &str| match read(name) {
            Ok(value) => Ok(Some(value).filter(|value| !value.is_empty())),
            Err(VarError::NotPresent) => Ok(None),
            Err(VarError::NotUnicode(_)) => {
                Err(Error::invalid(format!("the environment variable {name} is not valid Unicode")))
            }
        };
        let secret = |name: &str| get(name).map(|value| value.map(SecretString::from));
        Ok(Self {
            base_url: get("BDC_BASE_URL")?,
            apikey: secret("BDC_APIKEY")?,
            appid: secret("BDC_APPID")?,
            header_key: secret("BDC_HEADER_KEY")?,
            ..Self::default()
        })
    }

    /// Sets the address of the service, `http` or `https`. The paths of the interface are appended to it; a path of its
    /// own is kept, and a trailing slash makes no difference. Over `http` credentials are sent in the clear: use it
    /// only for a service on this machine or in a network of your own.
    ///
    /// The system's proxy (`HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY`) is used, except for this machine: `localhost`, the
    /// names below it such as `app.localhost`, and loopback addresses.
    pub fn base_url(mut self, base_url: impl Into<String>) -> Self {
        self.base_url = Some(base_url.into());
        self
    }

    /// Sets the credentials that are sent in the body of every request.
    pub fn credentials(mut self, apikey: impl Into<SecretString>, appid: impl Into<SecretString>) -> Self {
        self.apikey = Some(apikey.into());
        self.appid = Some(appid.into());
        self
    }

    /// Sets the key for the operations that declare a header credential
    /// ([`Operation::header_key`](crate::Operation::header_key)). Without it those operations fail before anything is
    /// sent. How it relates to the `apikey` is not specified.
    pub fn header_key(mut self, key: impl Into<SecretString>) -> Self {
        self.header_key = Some(key.into());
        self
    }

    /// Limits the time of a whole call: connecting, every attempt, and reading the reply. The default is 60 seconds.
    /// Apart from the connect timeout there is no other time limit.
    #[doc(alias = "deadline")]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(Some(timeout));
        self
    }

    /// Removes the time limit, except from calls that set one of their own.
    pub fn no_timeout(mut self) -> Self {
        self.timeout = Some(None);
        self
    }

    /// Limits the time to connect. The default is 10 seconds.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = Some(timeout);
        self
    }

    /// Sets when and how often calls are retried. By default they are attempted up to three times, and only after a
    /// transport failure that makes it safe.
    #[doc(alias = "max_retries")]
    pub fn retry_policy(mut self, policy: RetryPolicy) -> Self {
        self.retry_policy = policy;
        self
    }

    /// Limits how many bytes of a reply's body are read. The default is 8 MiB.
    pub fn reply_limit(mut self, bytes: usize) -> Self {
        self.reply_limit = Some(bytes);
        self
    }

    /// Sets the `User-Agent` header. The default is the name and version of this crate.
    pub fn user_agent(mut self, user_agent: impl Into<String>) -> Self {
        self.user_agent = Some(user_agent.into());
        self
    }

    /// Changes the settings of the HTTP client: TLS, a proxy, addresses, how long idle connections are kept. They are
    /// applied last and override those of this builder, except that redirects stay off.
    ///
    /// It takes settings rather than a finished client because nobody can tell whether a finished client follows
    /// redirects, which would send the header key to another host.
    ///
    /// # TLS
    /// Every TLS setting of [`reqwest::ClientBuilder`] has its effect, or makes [`build`](Self::build) fail where the
    /// backend does not support it. To accept the certificates of one authority only, whatever the platform trusts:
    ///
    #[cfg_attr(feature = "rustls", doc = "```")]
    #[cfg_attr(not(feature = "rustls"), doc = "```ignore")]
    /// # use business_data_connector::{Connector, reqwest};
    /// # fn example(pem: &[u8]) -> Result<Connector, Box<dyn std::error::Error>> {
    /// let authority = reqwest::Certificate::from_pem(pem)?;
    /// let connector = Connector::builder()
    ///     .base_url("https://service.example")
    ///     .credentials("apikey", "appid")
    ///     .configure_client(|client|
    ///     client.tls_certs_only([authority]).tls_version_min(reqwest::tls::Version::TLS_1_3)) .build()?;
    /// # Ok(connector) }
    /// ```
    ///
    /// `tls_certs_merge` trusts further certificates, and `identity` presents a client certificate. After
    /// `tls_backend_preconfigured` reqwest ignores the other TLS settings: make them in the configuration passed to it.
    ///
    /// # Idle connections
    /// An idle connection is closed after 4 seconds, since many servers close it after 5, and the outcome of a write
    /// sent meanwhile would be unknown. Where the server keeps connections longer, raise `pool_idle_timeout`;
    /// `pool_max_idle_per_host(0)` uses a new connection for every call.
    pub fn configure_client(mut self, configure: impl FnOnce(ClientBuilder) -> ClientBuilder + Send + 'static) -> Self {
        self.configure = Some(Box::new(configure));
        self
    }

    #[cfg(feature = "testing")]
    pub(crate) fn canned(mut self, canned: std::sync::Arc<dyn crate::shared::Canned>) -> Self {
        self.canned = Some(canned);
        self
    }

    /// Builds the connector. With the feature `rustls`, ring becomes the rustls crypto provider of the process unless
    /// one is already installed: an application that chooses another one installs it before.
    ///
    /// # Errors
    /// [`Error::Invalid`], saying what is missing or wrong and how to correct it, without showing a secret.
    pub fn build(self) -> Result<Connector, Error> {
        let (Some(base_url), Some(apikey), Some(appid)) = (&self.base_url, &self.apikey, &self.appid) else {
            return Err(Error::invalid(self.missing()));
        };
        let base_url = base_url::parse(base_url)?;
        let credentials = Credentials::new(apikey, appid, self.header_key.as_ref())?;
        let headers = http_client::headers(self.user_agent.as_deref().unwrap_or(Self::USER_AGENT))?;
        let connect_timeout = self.connect_timeout.unwrap_or(Self::CONNECT_TIMEOUT);
        let client = http_client::build(&base_url, connect_timeout, self.configure)?;
        Ok(Connector::new(Shared {
            base_url: base_url.as_str().trim_end_matches('/').to_owned(),
            client,
            credentials,
            headers,
            timeout: self.timeout.unwrap_or(Some(Self::TIMEOUT)),
            retry_policy: self.retry_policy,
            reply_limit: self.reply_limit.unwrap_or(Self::REPLY_LIMIT),
            #[cfg(feature = "testing")]
            canned: self.canned,
        }))
    }

    fn missing(&self) -> String {
        let required = [
            (self.base_url.is_none(), "a base URL (`base_url`, or BDC_BASE_URL in the environment)"),
            (self.apikey.is_none(), "an apikey (`credentials`, or BDC_APIKEY in the environment)"),
            (self.appid.is_none(), "an appid (`credentials`, or BDC_APPID in the environment)"),
        ];
        let missing: Vec<_> = required.iter().filter(|(missing, _)| *missing).map(|(_, what)| *what).collect();
        format!("missing configuration: {}", missing.join(", "))
    }
}

impl fmt::Debug for ConnectorBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The base URL has not been parsed yet and may hold a password.
        f.debug_struct("ConnectorBuilder")
            .field("base_url", &crate::redact::Query(self.base_url.as_deref()))
            .field("credentials", &(self.apikey.is_some() && self.appid.is_some()))
            .field("header_key", &self.header_key.is_some())
            .field("timeout", &self.timeout)
            .field("connect_timeout", &self.connect_timeout)
            .field("retry_policy", &self.retry_policy)
            .field("reply_limit", &self.reply_limit)
            .field("user_agent", &self.user_agent)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(name: &str) -> Result<String, VarError> {
        match name {
            "BDC_BASE_URL" => Ok("http://127.0.0.1:1/".to_owned()),
            "BDC_APIKEY" => Ok("canary".to_owned()),
            _ => Err(VarError::NotPresent),
        }
    }

    #[test]
    fn a_missing_variable_is_named() {
        let error = ConnectorBuilder::from_variables(environment).and_then(ConnectorBuilder::build).map(|_| ());
        let text = error.map_err(|e| e.to_string());
        let expected =
            "nothing was sent: missing configuration: an appid (`credentials`, or BDC_APPID in the environment)";
        assert_eq!(text, Err(expected.to_owned()));
    }

    #[test]
    fn a_setter_overrides_the_environment() {
        let connector = ConnectorBuilder::from_variables(environment)
            .and_then(|builder| builder.base_url("http://127.0.0.1:2/p//").credentials("a", "b").build());
        assert_eq!(connector.as_ref().map(Connector::base_url).ok(), Some("http://127.0.0.1:2/p"));
    }

    #[test]
    fn a_variable_that_is_not_unicode_is_named_without_its_value() {
        let error = ConnectorBuilder::from_variables(|_| Err(VarError::NotUnicode("canary".into()))).map(|_| ());
        let text = error.map_err(|e| e.to_string());
        assert_eq!(
            text,
            Err("nothing was sent: the environment variable BDC_BASE_URL is not valid Unicode".to_owned())
        );
    }
}
