//! Which webhooks are called, and how their addresses are written in a request.

use std::net::{IpAddr, SocketAddr};

use axum::http::Uri;
use url::{Host, ParseError, Url};

/// What callbacks call their sender. The inspection API of a sandbox refuses to be changed by it.
pub(crate) const USER_AGENT: &str = concat!("bdc-sandbox/", env!("CARGO_PKG_VERSION"));

/// The address of a webhook as it is called: percent-encoded, and without a user or password.
///
/// # Errors
/// Why the sandbox will never call it.
pub(crate) fn callable(webhook: &str, listen: SocketAddr, remote: bool) -> Result<Uri, String> {
    let mut url: Url = webhook.parse().map_err(|error| match error {
        ParseError::InvalidPort => "the webhook has an invalid port; a port is at most 65535".to_owned(),
        other => format!("the webhook is not a URL: {other}"),
    })?;
    if url.scheme() != "http" {
        return Err("the webhook does not begin with http://, which is all that the sandbox supports".to_owned());
    }
    let local = match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => IpAddr::V6(ip).to_canonical().is_loopback(),
        None => false,
    };
    if !local && !remote {
        let hint = "start the sandbox with --allow-remote-callbacks to call it";
        return Err(format!("the webhook is not on this machine; {hint}"));
    }
    let is_listening = |ip: IpAddr| ip == listen.ip().to_canonical();
    let itself = match url.host() {
        Some(Host::Ipv4(ip)) => is_listening(ip.into()),
        Some(Host::Ipv6(ip)) => is_listening(IpAddr::V6(ip).to_canonical()),
        _ => false,
    };
    let reached = local && (listen.ip().is_loopback() || listen.ip().is_unspecified());
    if (itself || reached) && url.port_or_known_default() == Some(listen.port()) {
        return Err("the webhook is the sandbox itself; name a receiver of your own".to_owned());
    }
    // An error means that there is nothing to remove.
    let _ = url.set_username("").and_then(|()| url.set_password(None));
    url.set_fragment(None);
    url.as_str().parse().map_err(|error| format!("the webhook is not a URL: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn called(webhook: &str, remote: bool) -> Result<String, String> {
        callable(webhook, ([127, 0, 0, 1], 4010).into(), remote).map(|uri| uri.to_string())
    }

    #[test]
    fn other_machines_are_called_when_allowed_but_only_over_http() {
        assert!(called("http://192.0.2.1/", true).is_ok());
        assert!(called("https://192.0.2.1/", true).is_err());
    }

    #[test]
    fn by_default_only_this_machine_is_called() {
        for webhook in ["http://127.0.0.1:1/a?b", "http://127.9.9.9/", "http://LocalHost:1", "http://[::1]:1/"] {
            assert!(called(webhook, false).is_ok(), "{webhook}");
        }
        for webhook in [
            "",
            "nonsense",
            "/hook",
            "https://127.0.0.1/",
            "ftp://127.0.0.1/",
            "http://192.0.2.1/",
            "http://0.0.0.0/",
            "http://127.0.0.1.example.com/",
            "http://localhost.example.com/",
            "http://127.0.0.1@192.0.2.1/",
        ] {
            assert!(called(webhook, false).is_err(), "{webhook}");
        }
    }

    #[test]
    fn an_address_is_percent_encoded_and_has_no_user() {
        let call = |webhook| called(webhook, false).unwrap_or_default();
        assert_eq!(call("http://127.0.0.1:1/h ö?name=José#f"), "http://127.0.0.1:1/h%20%C3%B6?name=Jos%C3%A9");
        assert_eq!(call("http://u:p@127.0.0.1:1/a%20b?c=%41"), "http://127.0.0.1:1/a%20b?c=%41");
    }

    #[test]
    fn an_invalid_port_and_the_sandbox_itself_are_refused_with_the_reason() {
        let refused = |webhook| called(webhook, true).err().unwrap_or_default();
        assert!(refused("http://127.0.0.1:99999/").contains("a port is at most 65535"));
        for itself in ["http://127.0.0.1:4010/_sandbox/reset", "http://localhost:4010/", "http://[::1]:4010/x"] {
            assert!(refused(itself).contains("is the sandbox itself"), "{itself}");
        }
        let everywhere = |webhook| callable(webhook, ([0, 0, 0, 0], 80).into(), true);
        assert!(everywhere("http://localhost/").is_err() && everywhere("http://192.0.2.1/").is_ok());
    }
}
