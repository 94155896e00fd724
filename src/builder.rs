use std::{env::VarError, fmt, net::IpAddr, time::Duration};

use reqwest::{Client, ClientBuilder, Url, header::HeaderValue, redirect::Policy};
use secrecy::SecretString;

use crate::{Connector, Error, connector::Shared, credentials::Credentials, tls};

/// Sets up a [`Connector`]. Wanted are a base URL and the credentials; everything else has a default.
#[derive(Default)]
#[must_use]
pub struct ConnectorBuilder {
    base_url: Option<String>,
    apikey: Option<SecretString>,
    appid: Option<SecretString>,
    header_key: Option<SecretString>,
    deadline: Option<Option<Duration>>,
    connect_timeout: Option<Duration>,
    attempts: Option<u32>,
    reply_limit: Option<usize>,
    user_agent: Option<String>,
    configure: Option<Box<dyn FnOnce(ClientBuilder) -> ClientBuilder + Send>>,
}

impl ConnectorBuilder {
    const DEADLINE: Duration = Duration::from_secs(60);
    const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
    const ATTEMPTS: u32 = 3;
    const REPLY_LIMIT: usize = 8 * 1024 * 1024;
    const USER_AGENT: &'static str = concat!(env!("CARGO_PKG_NAME"), "/", env!("CARGO_PKG_VERSION"));

    /// A builder with nothing set.
    pub fn new() -> Self {
        Self::default()
    }

    /// A builder with what the environment sets of `BDC_BASE_URL`, `BDC_APIKEY`, `BDC_APPID` and `BDC_HEADER_KEY`. What is
    /// set on the builder afterwards takes its place; what is missing then is named by [`build`](Self::build).
    ///
    /// # Errors
    /// [`Error::Invalid`], naming a variable that is not Unicode.
    pub fn from_env() -> Result<Self, Error> {
        Self::from_variables(|name| std::env::var(name))
    }

    fn from_variables(read: impl Fn(&str) -> Result<String, VarError>) -> Result<Self, Error> {
        let get = |name: &str| match read(name) {
            Ok(value) => Ok(Some(value).filter(|value| !value.is_empty())),
            Err(VarError::NotPresent) => Ok(None),
            Err(VarError::NotUnicode(_)) => Err(Error::invalid(format!("{name} in the environment is not Unicode"))),
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

    /// The address of the service, `http` or `https`, to which the paths of the interface are relative. A path of its own
    /// is kept, a slash at its end makes no difference. Over `http` the credentials travel in the clear: it is for a service
    /// on this machine or in a network of your own.
    ///
    /// A proxy that the environment names (`HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY`) is used, except for this machine.
    pub fn base_url(mut self, base_url: impl Into<String>) -> Self {
        self.base_url = Some(base_url.into());
        self
    }

    /// The credentials that every operation carries in its body.
    pub fn credentials(mut self, apikey: impl Into<SecretString>, appid: impl Into<SecretString>) -> Self {
        self.apikey = Some(apikey.into());
        self.appid = Some(appid.into());
        self
    }

    /// The key for the operations that declare a header credential
    /// ([`Operation::header_key`](crate::Operation::header_key)). Without it those fail before anything is sent. How it
    /// relates to the `apikey` is not specified.
    pub fn header_key(mut self, key: impl Into<SecretString>) -> Self {
        self.header_key = Some(key.into());
        self
    }

    /// The time that a call may take, all attempts and the answer included: 60 seconds, unless set. No other limit but the
    /// connect timeout applies.
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = Some(Some(deadline));
        self
    }

    /// Lets a call wait for as long as it takes, unless it has a deadline of its own.
    pub fn no_deadline(mut self) -> Self {
        self.deadline = Some(None);
        self
    }

    /// The time that a connection may take to be made: 10 seconds, unless set.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.connect_timeout = Some(timeout);
        self
    }

    /// How often a call is tried at most, where it may be repeated at all: 3, unless set. A write is repeated only when it
    /// provably never left; a read after any failure of the transport. An answer, whatever it says, is never a reason.
    pub fn attempts(mut self, attempts: u32) -> Self {
        self.attempts = Some(attempts);
        self
    }

    /// How many bytes of a reply's body are read at most: 8 MiB, unless set.
    pub fn reply_limit(mut self, bytes: usize) -> Self {
        self.reply_limit = Some(bytes);
        self
    }

    /// The `User-Agent`: name and version of this crate, unless set.
    pub fn user_agent(mut self, user_agent: impl Into<String>) -> Self {
        self.user_agent = Some(user_agent.into());
        self
    }

    /// Your own settings of the HTTP client: a proxy, certificates, addresses, how many connections are kept. They are made
    /// last, over those of this builder; only redirects stay off, whatever is set.
    ///
    /// It takes the settings and not a finished client, of which nobody can tell whether it follows redirects: one that does
    /// carries the header key to another host.
    ///
    /// ```
    /// # use business_data_connector::{Connector, Error, reqwest};
    /// # fn example(proxy: reqwest::Proxy) -> Result<Connector, Error> {
    /// let connector = Connector::builder()
    ///     .base_url("https://service.example")
    ///     .credentials("apikey", "appid")
    ///     .configure_client(|client| client.proxy(proxy))
    ///     .build();
    /// # connector }
    /// ```
    pub fn configure_client(mut self, configure: impl FnOnce(ClientBuilder) -> ClientBuilder + Send + 'static) -> Self {
        self.configure = Some(Box::new(configure));
        self
    }

    /// The connector.
    ///
    /// # Errors
    /// [`Error::Invalid`], saying what is missing or wrong and what to do, without showing a secret.
    pub fn build(self) -> Result<Connector, Error> {
        let (Some(base_url), Some(apikey), Some(appid)) = (&self.base_url, &self.apikey, &self.appid) else {
            return Err(Error::invalid(self.missing()));
        };
        let base_url = checked(base_url)?;
        let credentials = Credentials::new(apikey, appid, self.header_key.as_ref())?;
        if self.attempts == Some(0) {
            return Err(Error::invalid("`attempts` is 0; a call is tried at least once"));
        }
        let user_agent = HeaderValue::from_str(self.user_agent.as_deref().unwrap_or(Self::USER_AGENT))
            .map_err(|_| Error::invalid("the user agent has a character that no header can carry"))?;
        let mut client =
            Client::builder().connect_timeout(self.connect_timeout.unwrap_or(Self::CONNECT_TIMEOUT)).referer(false);
        if is_this_machine(&base_url) {
            client = client.no_proxy();
        }
        client = tls::configured(client, base_url.scheme() == "https")?;
        if let Some(configure) = self.configure {
            client = configure(client);
        }
        let client = client
            .redirect(Policy::none())
            .build()
            .map_err(|e| Error::invalid(format!("no HTTP client can be set up: {}", e.without_url())))?;
        Ok(Connector::new(Shared {
            base_url: base_url.as_str().trim_end_matches('/').to_owned(),
            client,
            credentials,
            user_agent,
            deadline: self.deadline.unwrap_or(Some(Self::DEADLINE)),
            attempts: self.attempts.unwrap_or(Self::ATTEMPTS),
            reply_limit: self.reply_limit.unwrap_or(Self::REPLY_LIMIT),
        }))
    }

    fn missing(&self) -> String {
        let wanted = [
            (self.base_url.is_none(), "a base URL (`base_url`, or BDC_BASE_URL in the environment)"),
            (self.apikey.is_none(), "an apikey (`credentials`, or BDC_APIKEY in the environment)"),
            (self.appid.is_none(), "an appid (`credentials`, or BDC_APPID in the environment)"),
        ];
        let missing: Vec<_> = wanted.iter().filter(|(missing, _)| *missing).map(|(_, what)| *what).collect();
        format!("the connector is without {}", missing.join(", "))
    }
}

/// A base URL that every path can be appended to. The sentences do not repeat it, since it may hold a password.
fn checked(base_url: &str) -> Result<Url, Error> {
    let url = Url::parse(base_url.trim())
        .map_err(|e| Error::invalid(format!("the base URL cannot be read ({e}); write it as https://host")))?;
    let problem = if !["http", "https"].contains(&url.scheme()) || !url.has_host() {
        "must begin with https:// or http:// and a host"
    } else if !url.username().is_empty() || url.password().is_some() {
        "has a user or password, which would be sent as a header that the interface does not know; leave them out"
    } else if url.query().is_some() || url.fragment().is_some() {
        "has a `?` or `#`, after which no path can follow; leave it out"
    } else {
        return Ok(url);
    };
    Err(Error::invalid(format!("the base URL {problem}")))
}

fn is_this_machine(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

impl fmt::Debug for ConnectorBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The base URL is not checked yet and may hold a password.
        f.debug_struct("ConnectorBuilder")
            .field("base_url", &crate::redact::Query(self.base_url.as_deref()))
            .field("credentials", &(self.apikey.is_some() && self.appid.is_some()))
            .field("header_key", &self.header_key.is_some())
            .field("deadline", &self.deadline)
            .field("connect_timeout", &self.connect_timeout)
            .field("attempts", &self.attempts)
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
    fn what_the_environment_lacks_is_named() {
        let error = ConnectorBuilder::from_variables(environment).and_then(ConnectorBuilder::build).map(|_| ());
        let text = error.map_err(|e| e.to_string());
        let wanted =
            "nothing was sent: the connector is without an appid (`credentials`, or BDC_APPID in the environment)";
        assert_eq!(text, Err(wanted.to_owned()));
    }

    #[test]
    fn what_is_set_explicitly_takes_the_place_of_the_environment() {
        let connector = ConnectorBuilder::from_variables(environment)
            .and_then(|builder| builder.base_url("http://127.0.0.1:2/p//").credentials("a", "b").build());
        assert_eq!(connector.map(|c| c.shared().base_url.clone()).ok().as_deref(), Some("http://127.0.0.1:2/p"));
    }

    #[test]
    fn a_variable_that_is_not_unicode_is_named_without_its_value() {
        let error = ConnectorBuilder::from_variables(|_| Err(VarError::NotUnicode("canary".into()))).map(|_| ());
        let text = error.map_err(|e| e.to_string());
        assert_eq!(text, Err("nothing was sent: BDC_BASE_URL in the environment is not Unicode".to_owned()));
    }
}
