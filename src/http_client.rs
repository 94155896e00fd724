//! Builds the HTTP client of a connector, and the headers that it sends.

use std::{error::Error as _, time::Duration};

use reqwest::{
    Client, ClientBuilder, Url,
    header::{ACCEPT_ENCODING, HeaderMap, HeaderValue, USER_AGENT},
    redirect::Policy,
};

use crate::{Error, base_url, tls};

/// A change to the settings of the HTTP client.
pub(crate) type Configure = Box<dyn FnOnce(ClientBuilder) -> ClientBuilder + Send>;

/// Shorter than the 5 seconds after which Node.js, Apache and uvicorn close an idle connection by default. A request
/// that is sent while the other side closes ends with its outcome unknown; connecting again costs far less.
const POOL_IDLE_TIMEOUT: Duration = Duration::from_secs(4);

pub(crate) fn build(base_url: &Url, connect_timeout: Duration, configure: Option<Configure>) -> Result<Client, Error> {
    let mut client =
        Client::builder().connect_timeout(connect_timeout).pool_idle_timeout(POOL_IDLE_TIMEOUT).referer(false);
    if base_url::is_this_machine(base_url) {
        client = client.no_proxy();
    }
    client = tls::configure(client, base_url.scheme() == "https")?;
    let check = match configure {
        Some(configure) => {
            client = configure(client);
            "check the settings made in `configure_client`"
        }
        None => "check the certificates that this machine trusts",
    };
    client.redirect(Policy::none()).build().map_err(|e| {
        Error::invalid(format!("the HTTP client cannot be built: {}; {check}", describe(&e.without_url())))
    })
}

/// The headers of every request, beside those of the generated client.
pub(crate) fn headers(user_agent: &str) -> Result<HeaderMap, Error> {
    let user_agent = HeaderValue::from_str(user_agent)
        .map_err(|_| Error::invalid("the user agent contains a character that is not allowed in a header"))?;
    let mut headers = HeaderMap::new();
    headers.insert(USER_AGENT, user_agent);
    // A reply that is compressed could not be checked for `"error": true`.
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    Ok(headers)
}

/// The error with its causes, which reqwest's `Display` leaves out.
fn describe(error: &reqwest::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text += &format!(": {error}");
        cause = error.source();
    }
    text
}
