//! Sets up TLS for the HTTP client.

use reqwest::ClientBuilder;

use crate::Error;

/// Uses rustls with ring and the certificates of the platform.
#[cfg(feature = "rustls")]
pub(crate) fn configure(client: ClientBuilder, https: bool) -> Result<ClientBuilder, Error> {
    use rustls_platform_verifier::BuilderVerifierExt as _;

    let invalid = |e: rustls::Error| Error::invalid(format!("TLS cannot be set up: {e}"));
    // Passed explicitly, because the process-wide provider belongs to the application.
    let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
    let config =
        rustls::ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().map_err(invalid)?;
    let config = match https {
        true => config.with_platform_verifier().map_err(invalid)?.with_no_client_auth(),
        // Trusts nothing: over http the certificates of the platform are not needed.
        false => config.with_root_certificates(rustls::RootCertStore::empty()).with_no_client_auth(),
    };
    Ok(client.tls_backend_preconfigured(config))
}

/// Uses the TLS library of the platform.
#[cfg(all(feature = "native-tls", not(feature = "rustls")))]
pub(crate) fn configure(client: ClientBuilder, _: bool) -> Result<ClientBuilder, Error> {
    Ok(client.tls_backend_native())
}

/// Rejects an https URL, which would fail at the first call.
#[cfg(not(any(feature = "rustls", feature = "native-tls")))]
pub(crate) fn configure(client: ClientBuilder, https: bool) -> Result<ClientBuilder, Error> {
    if https {
        return Err(Error::invalid(
            "the base URL is https, but TLS is not compiled in; enable the feature `rustls` or `native-tls`",
        ));
    }
    Ok(client)
}
