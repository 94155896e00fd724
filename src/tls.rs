//! Chooses the TLS backend of the HTTP client.
//!
//! reqwest builds the backend itself, because it ignores the TLS settings of its `ClientBuilder` where it is given a
//! finished one.

use reqwest::ClientBuilder;

use crate::Error;

/// Uses rustls with the provider of the process and the certificates of the platform.
#[cfg(feature = "rustls-no-provider")]
pub(crate) fn configure(client: ClientBuilder, https: bool) -> Result<ClientBuilder, Error> {
    let provider = provider()?;
    let client = client.tls_backend_rustls();
    // Over http, TLS serves only a proxy that uses it, so a machine without certificates must not make the build fail.
    if !https && rustls_platform_verifier::Verifier::new(provider).is_err() {
        return Ok(client.tls_certs_only([]));
    }
    Ok(client)
}

/// The provider that the application installed for the process, or else ring, which is then installed.
///
/// Without an installed provider reqwest panics, in the application's own clients as well: this crate enables rustls
/// for every user of reqwest in the program.
#[cfg(feature = "rustls-no-provider")]
fn provider() -> Result<std::sync::Arc<rustls::crypto::CryptoProvider>, Error> {
    use rustls::crypto::CryptoProvider;

    #[cfg(feature = "rustls")]
    if CryptoProvider::get_default().is_none() {
        // It fails only where another thread was faster, and then that thread's provider is as good.
        _ = rustls::crypto::ring::default_provider().install_default();
    }
    CryptoProvider::get_default().cloned().ok_or_else(|| {
        Error::invalid(
            "no rustls crypto provider is installed; install one with `CryptoProvider::install_default` before building a \
             connector, or enable the feature `rustls`",
        )
    })
}

/// Uses the TLS library of the platform.
#[cfg(all(feature = "native-tls", not(feature = "rustls-no-provider")))]
pub(crate) fn configure(client: ClientBuilder, _: bool) -> Result<ClientBuilder, Error> {
    Ok(client.tls_backend_native())
}

/// Rejects an https URL, which would fail at the first call.
#[cfg(not(any(feature = "rustls-no-provider", feature = "native-tls")))]
pub(crate) fn configure(client: ClientBuilder, https: bool) -> Result<ClientBuilder, Error> {
    if https {
        return Err(Error::invalid(
            "the base URL is https, but TLS is not compiled in; enable the feature `rustls` or `native-tls`",
        ));
    }
    Ok(client)
}
