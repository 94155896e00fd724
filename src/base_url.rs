//! Parses the base URL, and knows which ones lead to this machine.

use std::net::IpAddr;

use reqwest::Url;

use crate::Error;

/// Parses a base URL that paths can be appended to. The messages do not quote it, since it may hold a password.
pub(crate) fn parse(base_url: &str) -> Result<Url, Error> {
    let url = Url::parse(base_url.trim())
        .map_err(|e| Error::invalid(format!("the base URL is not a URL ({e}); write it as https://host")))?;
    let problem = if !["http", "https"].contains(&url.scheme()) || !url.has_host() {
        "must begin with https:// or http:// and a host"
    } else if !url.username().is_empty() || url.password().is_some() {
        "has a user or password, for which the interface has no use; remove them"
    } else if url.query().is_some() || url.fragment().is_some() {
        "has a `?` or `#`, after which no path can be appended; remove it"
    } else {
        return Ok(url);
    };
    Err(Error::invalid(format!("the base URL {problem}")))
}

/// Whether the host is this machine: `localhost` and the names below it (RFC 6761, section 6.3), a loopback address, or
/// an unspecified address, which connects to this machine as well.
pub(crate) fn is_this_machine(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    if url.domain().is_some() {
        let name = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
        return name == "localhost" || name.ends_with(".localhost");
    }
    let address = host.trim_matches(['[', ']']).parse::<IpAddr>().map(|address| address.to_canonical());
    address.is_ok_and(|address| address.is_loopback() || address.is_unspecified())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_addresses_of_this_machine_are_recognised() {
        for host in [
            "localhost",
            "LOCALHOST",
            "localhost.",
            "app.localhost",
            "a.b.LocalHost.",
            "127.0.0.1",
            "127.1.2.3",
            "127.1",
            "0x7f000001",
            "[::1]",
            "[::ffff:127.0.0.1]",
            "[::ffff:7f00:2]",
            "0.0.0.0",
            "[::]",
        ] {
            let url = Url::parse(&format!("http://{host}:4010/path"));
            assert!(url.as_ref().is_ok_and(is_this_machine), "{host}: {url:?}");
        }
    }

    #[test]
    fn names_and_addresses_of_other_machines_are_not() {
        for host in [
            "localhost.example",
            "notlocalhost",
            "app-localhost",
            "localhost.localdomain",
            "127.0.0.1.example",
            "128.0.0.1",
            "10.0.0.1",
            "[::2]",
            "[::ffff:10.0.0.1]",
            "[fe80::1]",
        ] {
            let url = Url::parse(&format!("http://{host}:4010/path"));
            assert!(url.as_ref().is_ok_and(|url| !is_this_machine(url)), "{host}: {url:?}");
        }
    }
}
