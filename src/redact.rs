//! `Debug` for values that may hold a secret.

use std::fmt;

/// A value of which only the presence is told.
pub(crate) struct Hidden<'a>(pub(crate) Option<&'a str>);

impl fmt::Debug for Hidden<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(_) => f.write_str("Some([hidden])"),
            None => f.write_str("None"),
        }
    }
}

/// An address without its query, fragment and userinfo, any of which may be what gives access.
pub(crate) struct Query<'a>(pub(crate) Option<&'a str>);

impl fmt::Debug for Query<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(address) = self.0 else {
            return f.write_str("None");
        };
        let end = address.find(['?', '#']).unwrap_or(address.len());
        let (shown, hidden) = address.split_at(end);
        let host = shown.find("://").map_or(0, |scheme| scheme + 3);
        let authority = shown[host..].find('/').map_or(shown.len(), |path| host + path);
        let after_user = shown[host..authority].rfind('@').map_or(host, |at| host + at + 1);
        let tail = if hidden.is_empty() { "" } else { "?[hidden]" };
        write!(f, "Some({:?})", format!("{}{}{tail}", &shown[..host], &shown[after_user..]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_what_may_give_access() {
        let shown = |address| format!("{:?}", Query(Some(address)));
        assert_eq!(shown("https://a.example/p"), r#"Some("https://a.example/p")"#);
        assert_eq!(shown("https://a.example/p?X-Sig=canary#canary"), r#"Some("https://a.example/p?[hidden]")"#);
        assert_eq!(shown("https://u:canary@a.example?canary"), r#"Some("https://a.example?[hidden]")"#);
        assert_eq!(shown("https://a.example/@b"), r#"Some("https://a.example/@b")"#);
        assert_eq!(shown("canary@/p"), r#"Some("/p")"#);
        assert_eq!(shown("?"), r#"Some("?[hidden]")"#);
        assert_eq!(format!("{:?}", Query(None)), "None");
    }
}
