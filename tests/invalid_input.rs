//! Bad input gets a clear error, and nothing is sent.

mod support;

use business_data_connector::{Connector, ConnectorBuilder};
use support::{CANARY, Outcome, builder};

fn problem(builder: ConnectorBuilder) -> String {
    match builder.build() {
        Ok(connector) => format!("it was built: {connector:?}"),
        Err(error) if error.is_invalid() => error.to_string(),
        Err(error) => format!("it is of the wrong kind: {error:?}"),
    }
}

#[test]
fn a_base_url_that_cannot_be_used_is_refused_without_being_repeated() {
    for (base_url, wanted) in [
        ("", "cannot be read"),
        ("c4n4ry", "cannot be read"),
        ("c4n4ry.example:443", "must begin with https:// or http:// and a host"),
        ("/api", "cannot be read"),
        ("http://", "cannot be read"),
        ("http://c4n4ry:99999", "cannot be read"),
        ("ftp://c4n4ry.example", "must begin with https:// or http:// and a host"),
        ("file:///c4n4ry", "must begin with https:// or http:// and a host"),
        ("https://user:c4n4ry@host", "has a user or password"),
        ("https://c4n4ry@host", "has a user or password"),
        ("https://host/?token=c4n4ry", "has a `?` or `#`"),
        ("https://host/#c4n4ry", "has a `?` or `#`"),
    ] {
        let problem = problem(builder(base_url));
        assert!(
            problem.starts_with("nothing was sent: the base URL ") && problem.contains(wanted),
            "{base_url}: {problem}"
        );
        assert!(!problem.contains(CANARY), "{problem}");
    }
}

#[test]
fn a_secret_that_cannot_be_sent_is_refused_without_being_repeated() {
    for (key, wanted) in
        [("c4n4ry\n", "such as a newline"), ("c4n4ry\u{7f}", "no header can carry"), ("", "the header key is empty")]
    {
        let problem = problem(builder("http://h").header_key(key));
        assert!(problem.contains(wanted) && !problem.contains(CANARY), "{problem}");
    }
    assert_eq!(problem(builder("http://h").credentials("", "x")), "nothing was sent: the apikey is empty");
    assert_eq!(problem(builder("http://h").credentials("x", "")), "nothing was sent: the appid is empty");
}

#[test]
fn what_is_missing_is_named_all_at_once() {
    assert_eq!(
        problem(Connector::builder()),
        "nothing was sent: the connector is without a base URL (`base_url`, or BDC_BASE_URL in the environment), \
         an apikey (`credentials`, or BDC_APIKEY in the environment), \
         an appid (`credentials`, or BDC_APPID in the environment)"
    );
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    assert!(problem(builder("http://h").attempts(0)).contains("a call is tried at least once"));
    assert!(problem(builder("http://h").user_agent("a\nb")).contains("no header can carry"));
}

#[cfg(not(any(feature = "rustls", feature = "native-tls")))]
#[test]
fn https_without_tls_built_in_is_refused() {
    assert!(problem(builder("https://h")).contains("turn on the feature `rustls` or `native-tls`"));
}

#[test]
fn usable_settings_are_accepted() -> Outcome {
    for base_url in ["http://127.0.0.1:4010", "http://[::1]:4010/", " http://host/path "] {
        builder(base_url).build()?;
    }
    Ok(())
}
