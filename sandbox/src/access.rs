//! Who may talk to the sandbox: under which names it is called, and from pages of which origin.
//!
//! A sandbox has no password that a browser would not also send for a page of somebody else. A page can reach it in two
//! ways: by a request to its address, which names the page in `Origin`; and by a name of the page's own that is made to
//! resolve to its address (DNS rebinding), which `Host` shows. An address as a number cannot be rebound.

use std::{
    collections::BTreeSet,
    net::{IpAddr, SocketAddr},
};

use axum::http::{HeaderMap, HeaderValue, Uri, header, uri::Authority};
use url::{Origin, Url};

use crate::{
    error::Error,
    refusal::{Reason, shortened},
};

/// Who may talk to the sandbox.
#[derive(Clone, Default)]
pub(crate) struct Access {
    /// Further names, in lower case.
    hosts: BTreeSet<String>,
    public_url: Option<Url>,
    cors: Vec<Url>,
}

impl Access {
    /// Accepts requests to a further name.
    ///
    /// # Errors
    /// [`Error::InvalidLimit`] for what is not a name.
    pub(crate) fn allow_host(&mut self, name: &str) -> Result<(), Error> {
        let is_name = |name: &str| name.parse::<Authority>().is_ok_and(|parsed| parsed.host() == name);
        if !is_name(name) {
            return Err(invalid("allow_host", name, "a host name without a port, such as sandbox.internal"));
        }
        self.hosts.insert(normalized(name));
        Ok(())
    }

    /// Sets the address under which clients reach the sandbox.
    ///
    /// # Errors
    /// [`Error::InvalidLimit`] for what is not the origin of a URL.
    pub(crate) fn set_public_url(&mut self, url: &str) -> Result<(), Error> {
        self.public_url = Some(origin("public_url", url)?);
        Ok(())
    }

    /// Lets pages of another origin send requests and read the replies.
    ///
    /// # Errors
    /// [`Error::InvalidLimit`] for what is not an origin.
    pub(crate) fn allow_origin(&mut self, url: &str) -> Result<(), Error> {
        self.cors.push(origin("cors", url)?);
        Ok(())
    }

    /// The origins whose pages may read replies, as browsers write them.
    pub(crate) fn cors(&self) -> Vec<HeaderValue> {
        self.cors.iter().filter_map(|url| url.origin().ascii_serialization().parse().ok()).collect()
    }

    /// Why a request is foreign, if it is.
    pub(crate) fn check(&self, listen: SocketAddr, uri: &Uri, headers: &HeaderMap) -> Result<(), Reason> {
        let hosts: Vec<_> = headers.get_all(header::HOST).iter().collect();
        let asked: Option<Authority> = match hosts.as_slice() {
            // Only HTTP/1.0 and hand-made requests have none. A browser always sends it.
            [] => None,
            [host] => host.to_str().ok().and_then(|host| host.parse().ok()),
            _ => return Err(Reason::new("", "Host", "one Host header", "several")),
        };
        let foreign = |host: &Authority| !self.is_own(listen, host.host());
        if hosts.len() == 1 && asked.as_ref().is_none_or(foreign) || uri.authority().is_some_and(foreign) {
            let expected = "an IP address or localhost, or a name that --public-url or --allow-host permits";
            let got = asked.as_ref().map_or("an invalid one", Authority::as_str);
            return Err(Reason::new("", "Host", expected, got));
        }
        for origin in headers.get_all(header::ORIGIN) {
            let parsed = origin.to_str().ok().and_then(|origin| origin.parse::<Url>().ok());
            if !parsed.is_some_and(|origin| self.is_own_origin(&origin, asked.as_ref())) {
                let expected = "a page of the sandbox itself, or of an origin that --cors permits";
                return Err(Reason::new("", "Origin", expected, shortened(String::from_utf8_lossy(origin.as_bytes()))));
            }
        }
        Ok(())
    }

    fn is_own(&self, listen: SocketAddr, host: &str) -> bool {
        let host = normalized(host);
        if let Ok(ip) = host.trim_matches(['[', ']']).parse::<IpAddr>() {
            let ip = ip.to_canonical();
            return ip.is_loopback() || listen.ip().is_unspecified() || ip == listen.ip().to_canonical();
        }
        let public = self.public_url.as_ref().and_then(Url::host_str);
        host == "localhost"
            || host.ends_with(".localhost")
            || self.hosts.contains(&host)
            || public.is_some_and(|public| normalized(public) == host)
    }

    fn is_own_origin(&self, origin: &Url, asked: Option<&Authority>) -> bool {
        let permitted = |url: &Url| url.origin() == origin.origin();
        if self.public_url.as_ref().is_some_and(permitted) || self.cors.iter().any(permitted) {
            return true;
        }
        let same = |asked: &Authority| {
            let asked = format!("{}://{asked}", origin.scheme()).parse::<Url>();
            asked.is_ok_and(|asked| matches!(asked.origin(), Origin::Tuple(..)) && permitted(&asked))
        };
        asked.is_some_and(same)
    }

    /// The address under which a client has reached the sandbox, for the addresses that it is given.
    pub(crate) fn base_url(&self, headers: &HeaderMap) -> Option<String> {
        match &self.public_url {
            Some(url) => Some(url.origin().ascii_serialization()),
            None => Some(format!("http://{}", headers.get(header::HOST)?.to_str().ok()?)),
        }
    }
}

/// A name in lower case, and without the dot that ends a fully qualified one.
fn normalized(host: &str) -> String {
    host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase()
}

fn origin(option: &'static str, text: &str) -> Result<Url, Error> {
    let expected = "an origin, such as http://localhost:3000";
    let url: Url = text.parse().map_err(|_| invalid(option, text, expected))?;
    let only_origin = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
    let no_user = url.username().is_empty() && url.password().is_none();
    if matches!(url.scheme(), "http" | "https") && only_origin && no_user {
        return Ok(url);
    }
    Err(invalid(option, text, expected))
}

fn invalid(limit: &'static str, value: &str, expected: &str) -> Error {
    Error::InvalidLimit { limit, value: format!("`{}`", shortened(value)), expected: expected.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(access: &Access, listen: &str, host: &str, origin: Option<&str>) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, host.parse().unwrap());
        if let Some(origin) = origin {
            headers.insert(header::ORIGIN, origin.parse().unwrap());
        }
        access.check(listen.parse().unwrap(), &Uri::from_static("/"), &headers).is_ok()
    }

    #[test]
    fn a_host_is_an_own_one_when_no_foreign_page_can_have_it() {
        let mut access = Access::default();
        access.allow_host("sandbox.internal").unwrap();
        access.set_public_url("https://public.example").unwrap();
        let local = "127.0.0.1:4010";
        for host in ["127.0.0.1:4010", "127.9.9.9", "[::1]:4010", "localhost", "LOCALHOST.:1", "a.localhost:4010"] {
            assert!(check(&access, local, host, None), "{host}");
        }
        for host in ["sandbox.internal:9999", "Public.Example"] {
            assert!(check(&access, local, host, None), "{host}");
            assert!(!check(&Access::default(), local, host, None), "{host}");
        }
        for host in ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "192.0.2.1:4010", "", "a b"] {
            assert!(!check(&access, local, host, None), "{host}");
        }
        // Who listens on every address is reached by any.
        assert!(check(&access, "0.0.0.0:4010", "192.0.2.1:4010", None));
        assert!(check(&access, "192.0.2.1:4010", "192.0.2.1:4010", None));
        assert!(!check(&access, "0.0.0.0:4010", "evil.example", None));
    }

    #[test]
    fn an_origin_is_an_own_one_when_it_is_the_address_that_was_asked() {
        let mut access = Access::default();
        access.allow_origin("http://localhost:3000").unwrap();
        let asked = |origin| check(&access, "127.0.0.1:80", "localhost:4010", Some(origin));
        assert!(asked("http://localhost:4010") && asked("http://localhost:3000"));
        for origin in
            ["http://localhost", "http://localhost:4011", "http://127.0.0.1:4010", "http://evil.example", "null"]
        {
            assert!(!asked(origin), "{origin}");
        }
        assert!(check(&access, "127.0.0.1:80", "localhost", Some("http://localhost")));
        assert!(check(&access, "127.0.0.1:80", "localhost", Some("https://localhost")));
    }

    #[test]
    fn what_is_not_an_origin_or_a_name_is_refused_with_an_example() {
        let mut access = Access::default();
        for text in ["*", "localhost:3000", "http://localhost:3000/path", "ftp://localhost", "http://u@localhost"] {
            let message = access.allow_origin(text).err().map(|error| error.to_string()).unwrap_or_default();
            assert_eq!(message, format!("cors is `{text}`; expected an origin, such as http://localhost:3000"));
        }
        for name in ["", "a b", "sandbox:80", "http://sandbox"] {
            assert!(access.allow_host(name).is_err(), "{name}");
        }
    }
}
