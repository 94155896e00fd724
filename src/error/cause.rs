//! The cause of a transport failure, and whether it lies in the configuration.

use std::{error::Error as StdError, fmt};

/// What a transport failure was caused by.
pub(crate) type Cause = Box<dyn StdError + Send + Sync>;

/// The cause of a call that exceeded its timeout.
#[derive(Debug)]
pub(crate) struct TimedOut;

impl fmt::Display for TimedOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the call exceeded its timeout")
    }
}

impl StdError for TimedOut {}

pub(crate) fn is_timeout(cause: &Cause) -> bool {
    cause.is::<TimedOut>() || cause.downcast_ref::<reqwest::Error>().is_some_and(reqwest::Error::is_timeout)
}

/// What to check, if connecting failed because of the configuration, so that a retry cannot succeed.
pub(crate) fn misconfiguration(cause: &Cause) -> Option<&'static str> {
    const CERTIFICATE: &str = "check the host of the base URL and the certificates that are trusted";
    const HANDSHAKE: &str = "check that the port of the base URL speaks TLS, and which TLS versions are allowed";

    if cause.downcast_ref::<reqwest::Error>().is_some_and(reqwest::Error::is_dns) {
        // Resolvers report an outage of their own like this; it passes.
        let temporary = ["temporary", "try again"].iter().any(|words| text(cause).to_lowercase().contains(words));
        return (!temporary).then_some("check the host of the base URL");
    }
    for error in chain(cause) {
        #[cfg(feature = "rustls")]
        match error.downcast_ref::<rustls::Error>() {
            Some(rustls::Error::InvalidCertificate(_)) => return Some(CERTIFICATE),
            Some(_) => return Some(HANDSHAKE),
            None => {}
        }
        // What other TLS libraries and proxies report has no type that could be named here.
        let text = error.to_string();
        if text.contains("proxy authorization required") {
            return Some("check the user and password of the proxy");
        }
        if text.contains("SSL routines") || text.contains("certificate") {
            return Some(if text.contains("certificate") { CERTIFICATE } else { HANDSHAKE });
        }
    }
    None
}

/// The cause and what it was caused by, from the outside in. An `io::Error` is followed into what it wraps.
fn chain(cause: &Cause) -> impl Iterator<Item = &(dyn StdError + 'static)> {
    std::iter::successors(Some(&**cause as &(dyn StdError + 'static)), |error| {
        let error: &(dyn StdError + 'static) = *error;
        match error.downcast_ref::<std::io::Error>().and_then(std::io::Error::get_ref) {
            Some(wrapped) => Some(wrapped),
            None => error.source(),
        }
    })
}

/// Every message of the chain, from the outside in.
pub(crate) fn text(cause: &Cause) -> String {
    let mut messages: Vec<String> = Vec::new();
    for message in chain(cause).map(ToString::to_string) {
        if !messages.last().is_some_and(|last| last.contains(&message)) {
            messages.push(message);
        }
    }
    messages.join(": ")
}
