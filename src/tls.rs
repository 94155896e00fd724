//! Which TLS a client of ours uses.

use reqwest::ClientBuilder;

use crate::Error;

/// Sets the TLS of a client for addresses with this scheme.
#[cfg(feature = "rustls")]
pub(crate) fn configured(client: ClientBuilder, https: bool) -> Result<ClientBuilder, Error> {
    use rustls_platform_verifier::BuilderVerifierExt as _;

    let unusable = |e: rustls::Error| Error::invalid(format!("TLS cannot be set up: {e}"));
    // Named here, since the process-wide provider belongs to the application.
    let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(unusable)?;
    let config = match https {
        true => config.with_platform_verifier().map_err(unusable)?.with_no_client_auth(),
        // Nothing is trusted, and the machine's certificates are not needed.
        false => config.with_root_certificates(rustls::RootCertStore::empty()).with_no_client_auth(),
    };
    Ok(client.tls_backend_preconfigured(config))
}

/// Leaves the choice to reqwest, where its only TLS is the platform's.
#[cfg(all(feature = "native-tls", not(feature = "rustls")))]
pub(crate) fn configured(client: ClientBuilder, _: bool) -> Result<ClientBuilder, Error> {
    Ok(client.tls_backend_native())
}

/// Refuses what would fail at the first call.
#[cfg(not(any(feature = "rustls", feature = "native-tls")))]
pub(crate) fn configured(client: ClientBuilder, https: bool) -> Result<ClientBuilder, Error> {
    if https {
        return Err(Error::invalid(
            "the base URL is https, but no TLS is built in; turn on the feature `rustls` or `native-tls`",
        ));
    }
    Ok(client)
}
