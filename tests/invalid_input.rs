//! Invalid configuration is reported when a connector is built, and nothing is sent.

mod support;

use business_data_connector::{Connector, ConnectorBuilder};
use support::{CANARY, TestResult, builder};

fn problem(builder: ConnectorBuilder) -> String {
    match builder.build() {
        Ok(connector) => format!("it was built: {connector:?}"),
        Err(error) if error.is_invalid() => error.to_string(),
        Err(error) => format!("an error of another category: {error:?}"),
    }
}

#[test]
fn a_base_url_that_cannot_be_used_is_rejected_without_being_quoted() {
    for (base_url, expected) in [
        ("", "is not a URL"),
        ("c4n4ry", "is not a URL"),
        ("c4n4ry.example:443", "must begin with https:// or http:// and a host"),
        ("/api", "is not a URL"),
        ("http://", "is not a URL"),
        ("http://c4n4ry:99999", "is not a URL"),
        ("ftp://c4n4ry.example", "must begin with https:// or http:// and a host"),
        ("file:///c4n4ry", "must begin with https:// or http:// and a host"),
        ("https://user:c4n4ry@host", "has a user or password"),
        ("https://c4n4ry@host", "has a user or password"),
        ("https://host/?token=c4n4ry", "has a `?` or `#`"),
        ("https://host/#c4n4ry", "has a `?` or `#`"),
    ] {
        let problem = problem(builder(base_url));
        assert!(
            problem.starts_with("nothing was sent: the base URL ") && problem.contains(expected),
            "{base_url}: {problem}"
        );
        assert!(!problem.contains(CANARY), "{problem}");
    }
}

#[test]
fn a_secret_that_cannot_be_sent_is_rejected_without_being_quoted() {
    for (key, expected) in [
        ("c4n4ry\n", "such as a newline"),
        ("c4n4ry\u{7f}", "not allowed in a header"),
        ("", "the header key is empty"),
    ] {
        let problem = problem(builder("http://h").header_key(key));
        assert!(problem.contains(expected) && !problem.contains(CANARY), "{problem}");
    }
    assert_eq!(problem(builder("http://h").credentials("", "x")), "nothing was sent: the apikey is empty");
    assert_eq!(problem(builder("http://h").credentials("x", "")), "nothing was sent: the appid is empty");
}

#[test]
fn all_missing_settings_are_named_in_one_error() {
    assert_eq!(
        problem(Connector::builder()),
        "nothing was sent: missing configuration: a base URL (`base_url`, or BDC_BASE_URL in the environment), \
         an apikey (`credentials`, or BDC_APIKEY in the environment), \
         an appid (`credentials`, or BDC_APPID in the environment)"
    );
}

#[test]
fn a_user_agent_that_cannot_be_a_header_is_rejected() {
    assert!(problem(builder("http://h").user_agent("a\nb")).contains("not allowed in a header"));
}

#[cfg(not(any(feature = "rustls", feature = "native-tls")))]
#[test]
fn https_without_tls_compiled_in_is_rejected() {
    assert!(problem(builder("https://h")).contains("enable the feature `rustls` or `native-tls`"));
}

#[test]
fn valid_base_urls_are_accepted() -> TestResult {
    for base_url in ["http://127.0.0.1:4010", "http://[::1]:4010/", " http://host/path "] {
        builder(base_url).build()?;
    }
    Ok(())
}
