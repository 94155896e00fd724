//! `Debug` for values that may contain a secret.

use std::fmt;

use reqwest::Url;

/// A value of which `Debug` shows only whether it is present.
pub(crate) struct Hidden<'a>(pub(crate) Option<&'a str>);

impl fmt::Debug for Hidden<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(_) => f.write_str("Some([hidden])"),
            None => f.write_str("None"),
        }
    }
}

/// How the token in the address of a callback begins.
pub(crate) const CALLBACK_TOKEN: &str = "cb1_";

/// An address of which `Debug` hides the query, fragment and userinfo, since each may grant access, and the token of a
/// callback's address. Text that is not clearly an address is hidden entirely.
pub(crate) struct Query<'a>(pub(crate) Option<&'a str>);

impl fmt::Debug for Query<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(address) = self.0 else {
            return f.write_str("None");
        };
        match Url::parse(address) {
            // An `@` after the host belongs to a password that should have been escaped.
            Ok(url) if url.has_host() && !url.path().contains('@') => {
                let hidden = if url.query().is_some() || url.fragment().is_some() { "?[hidden]" } else { "" };
                let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
                let host = url.host_str().unwrap_or_default();
                let path = without_tokens(url.path());
                write!(f, "Some({:?})", format!("{}://{host}{port}{path}{hidden}", url.scheme()))
            }
            _ => f.write_str("Some([hidden])"),
        }
    }
}

/// The path, with every segment hidden that is the token of a callback's address. Proxies may encode its `_`.
fn without_tokens(path: &str) -> String {
    let token = |segment: &str| {
        let start = segment.get(..6).unwrap_or(segment).to_ascii_lowercase().replace("%5f", "_");
        start.starts_with(CALLBACK_TOKEN)
    };
    path.split('/').map(|segment| if token(segment) { "[hidden]" } else { segment }).collect::<Vec<_>>().join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_the_parts_that_may_grant_access() {
        let shown = |address: &str| format!("{:?}", Query(Some(address)));
        assert_eq!(shown("https://a.example/p"), r#"Some("https://a.example/p")"#);
        assert_eq!(shown("http://127.0.0.1:4010"), r#"Some("http://127.0.0.1:4010/")"#);
        assert_eq!(shown("https://a.example/p?X-Sig=canary#canary"), r#"Some("https://a.example/p?[hidden]")"#);
        assert_eq!(shown("https://u:canary@a.example?canary"), r#"Some("https://a.example/?[hidden]")"#);
        for path in ["cb1_canary", "cb1%5Fcanary", "CB1_canary/", "a/cb1_canary?canary", "cb1_canary/b"] {
            let shown = shown(&format!("https://a.example/{path}"));
            assert!(shown.contains("/[hidden]") && !shown.contains("canary"), "{shown}");
        }
        for unclear in [
            "https://user:can/ary@host/p",
            "https://user:1234/canary@host/p",
            "https://user:canary#1@host",
            "https://user:canary?1@host",
            "canary@/p",
            "canary",
            "data:canary",
            "?",
            "",
        ] {
            assert_eq!(shown(unclear), "Some([hidden])", "{unclear}");
        }
        assert_eq!(format!("{:?}", Query(None)), "None");
    }
}
