//! TLS trusts whom the platform trusts, unless the client is configured otherwise; then every setting has its effect.

#![cfg(feature = "rustls")]

mod support;

use std::{error::Error, net::SocketAddr};

use business_data_connector::{
    RetryPolicy,
    reqwest::{Certificate, ClientBuilder, Identity, tls::Version},
};
use support::{Authority, TestResult, TlsServer, builder};
use tokio_rustls::rustls::{ProtocolVersion, version};

/// Calls the server once, with the client configured.
async fn call(
    url: &str,
    configure: impl FnOnce(ClientBuilder) -> ClientBuilder + Send + 'static,
) -> Result<(), Box<dyn Error>> {
    builder(url).retry_policy(RetryPolicy::never()).configure_client(configure).build()?.push_reset("u").await?;
    Ok(())
}

/// The error and its causes.
fn causes(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text += &format!(": {error}");
        cause = error.source();
    }
    text
}

#[tokio::test]
async fn a_certificate_of_an_unknown_authority_stops_the_request_before_it_is_sent() -> TestResult {
    let server = TlsServer::start().await?;
    let error = builder(&server.url)
        .retry_policy(RetryPolicy::never())
        .build()?
        .push_reset("u")
        .await
        .err()
        .ok_or("it succeeded")?;
    assert!(error.is_never_sent(), "{error:?}");
    assert!(causes(&error).contains("certificate"), "{}", causes(&error));
    assert_eq!(server.bytes(), 0);
    Ok(())
}

#[tokio::test]
async fn a_certificate_of_a_merged_authority_is_trusted() -> TestResult {
    let server = TlsServer::start().await?;
    let authority = Certificate::from_pem(server.authority.pem().as_bytes())?;
    let again = authority.clone();
    call(&server.url, |client| client.tls_certs_merge([authority])).await?;
    call(&server.url, |client| client.add_root_certificate(again)).await
}

#[tokio::test]
async fn with_only_one_authority_trusted_no_other_is() -> TestResult {
    let server = TlsServer::start().await?;
    let other = Certificate::from_pem(Authority::new("a stranger")?.pem().as_bytes())?;
    let error = call(&server.url, |client| client.tls_certs_only([other])).await.err().ok_or("it succeeded")?;
    assert!(causes(&*error).contains("UnknownIssuer"), "{}", causes(&*error));
    assert_eq!(server.bytes(), 0);
    let authority = Certificate::from_pem(server.authority.pem().as_bytes())?;
    call(&server.url, |client| client.tls_certs_only([authority])).await
}

#[tokio::test]
async fn an_invalid_certificate_or_host_name_is_accepted_where_the_caller_says_so() -> TestResult {
    let server = TlsServer::start().await?;
    call(&server.url, |client| client.tls_danger_accept_invalid_certs(true)).await?;

    let other_name = server.url.replace("localhost", "other.example");
    let address = SocketAddr::from(([127, 0, 0, 1], 0));
    let only = |server: &TlsServer| -> Result<_, Box<dyn Error>> {
        let authority = Certificate::from_pem(server.authority.pem().as_bytes())?;
        Ok(move |client: ClientBuilder| client.tls_certs_only([authority]).resolve("other.example", address).no_proxy())
    };
    let strict = only(&server)?;
    let error = call(&other_name, strict).await.err().ok_or("it succeeded")?;
    assert!(causes(&*error).contains("not valid for name"), "{}", causes(&*error));
    let tolerant = only(&server)?;
    call(&other_name, |client| tolerant(client).tls_danger_accept_invalid_hostnames(true)).await
}

#[tokio::test]
async fn the_tls_version_stays_within_its_limits() -> TestResult {
    let server = TlsServer::start().await?;
    call(&server.url, |client| client.tls_danger_accept_invalid_certs(true).tls_version_max(Version::TLS_1_2)).await?;
    assert_eq!(server.connections()[0].version, Some(ProtocolVersion::TLSv1_2));

    let server = TlsServer::with_version(&version::TLS12).await?;
    let result =
        call(&server.url, |client| client.tls_danger_accept_invalid_certs(true).tls_version_min(Version::TLS_1_3));
    let error = result.await.err().ok_or("it succeeded")?;
    assert!(causes(&*error).contains("ProtocolVersion"), "{}", causes(&*error));
    Ok(())
}

#[tokio::test]
async fn a_client_certificate_is_presented() -> TestResult {
    let server = TlsServer::with_client_certificates().await?;
    let anonymous = call(&server.url, |client| client.tls_danger_accept_invalid_certs(true)).await;
    assert!(anonymous.is_err());
    assert_eq!(server.bytes(), 0);
    let identity = Identity::from_pem(server.authority.identity("partner")?.as_bytes())?;
    call(&server.url, |client| client.tls_danger_accept_invalid_certs(true).identity(identity)).await
}

#[tokio::test]
async fn the_server_name_is_sent_unless_turned_off() -> TestResult {
    let server = TlsServer::start().await?;
    for sni in [true, false] {
        call(&server.url, move |client| client.tls_danger_accept_invalid_certs(true).tls_sni(sni)).await?;
    }
    let names: Vec<_> = server.connections().iter().map(|connection| connection.server_name.clone()).collect();
    assert_eq!(names, [Some("localhost".to_owned()), None]);
    Ok(())
}

#[tokio::test]
async fn a_setting_that_cannot_be_met_is_an_error_of_build() -> TestResult {
    type Setting = fn(ClientBuilder) -> ClientBuilder;
    let settings: [(Setting, &str); 4] = [
        (|client| client.tls_version_max(Version::TLS_1_1), "empty supported tls versions"),
        (|client| client.tls_danger_accept_invalid_hostnames(true), "only allowed with tls_certs_only()"),
        (|client| client.tls_backend_preconfigured("nothing"), "Unknown TLS backend"),
        (|client| client.user_agent("a\nb"), "failed to parse header value"),
    ];
    for (setting, expected) in settings {
        let error = builder("https://h").configure_client(setting).build().err().ok_or("it was built")?;
        assert!(error.is_invalid(), "{error:?}");
        let text = error.to_string();
        assert!(text.contains(expected) && text.contains("check the settings made in `configure_client`"), "{text}");
    }
    Ok(())
}

#[tokio::test]
async fn a_client_that_was_configured_anew_is_built() -> TestResult {
    for url in ["http://h", "https://h"] {
        builder(url).configure_client(|client| client.tls_backend_rustls()).build()?;
        builder(url).configure_client(|_| ClientBuilder::new()).build()?;
    }
    Ok(())
}

#[tokio::test]
async fn a_certificate_of_an_unknown_authority_is_not_retried() -> TestResult {
    let server = TlsServer::start().await?;
    let error = builder(&server.url)
        .retry_policy(RetryPolicy::new().max_attempts(3))
        .build()?
        .push_reset("u")
        .await
        .err()
        .ok_or("it succeeded")?;
    assert!(error.is_never_sent(), "{error:?}");
    assert_eq!((server.connections().len(), server.bytes()), (1, 0));
    Ok(())
}

/// What Linux trusts is set by `SSL_CERT_FILE` and `SSL_CERT_DIR`, so these run in processes of their own.
#[cfg(target_os = "linux")]
mod with_the_platform {
    use std::{ffi::OsStr, process::Command};

    use super::*;

    /// Runs a test of this file in a process whose platform trusts the certificates in a file.
    async fn run(test: &str, trusted: impl AsRef<OsStr>, url: &str) -> TestResult {
        let mut child = Command::new(std::env::current_exe()?);
        child.args(["--exact", &format!("with_the_platform::{test}"), "--ignored"]);
        child.env("SSL_CERT_FILE", trusted).env_remove("SSL_CERT_DIR").env("BDC_TEST_URL", url);
        let output = tokio::task::spawn_blocking(move || child.output()).await??;
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && text.contains("1 passed"), "{text}");
        Ok(())
    }

    #[tokio::test]
    async fn a_certificate_of_a_known_authority_is_trusted_unless_only_others_are() -> TestResult {
        let server = TlsServer::start().await?;
        let file = tempfile::NamedTempFile::new()?;
        std::fs::write(file.path(), server.authority.pem())?;
        run("in_a_process_that_trusts_the_authority", file.path(), &server.url).await?;
        assert_eq!(server.connections().iter().filter(|connection| connection.bytes > 0).count(), 1);
        Ok(())
    }

    #[tokio::test]
    #[ignore = "run by the test before it"]
    async fn in_a_process_that_trusts_the_authority() -> TestResult {
        let url = std::env::var("BDC_TEST_URL")?;
        builder(&url).build()?.push_reset("u").await?;
        let other = Certificate::from_pem(Authority::new("a stranger")?.pem().as_bytes())?;
        let error = call(&url, |client| client.tls_certs_only([other])).await.err().ok_or("it succeeded")?;
        assert!(causes(&*error).contains("UnknownIssuer"), "{}", causes(&*error));
        Ok(())
    }

    #[tokio::test]
    async fn certificates_of_the_platform_are_needed_only_where_they_are_used() -> TestResult {
        let server = TlsServer::start().await?;
        run("in_a_process_without_certificates", "/nonexistent", &server.url).await
    }

    #[tokio::test]
    #[ignore = "run by the test before it"]
    async fn in_a_process_without_certificates() -> TestResult {
        builder("http://service.example").build()?;
        let other = Certificate::from_pem(Authority::new("a stranger")?.pem().as_bytes())?;
        builder("https://service.example").configure_client(|client| client.tls_certs_only([other])).build()?;
        let error = builder("https://service.example").build().err().ok_or("it was built")?;
        assert_eq!(
            error.to_string(),
            "nothing was sent: the HTTP client cannot be built: builder error: unexpected error: No CA certificates were \
             loaded from the system; check the certificates that this machine trusts"
        );
        Ok(())
    }
}
