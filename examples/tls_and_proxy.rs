//! Settings of the HTTP client: an authority of your own to trust, and a proxy.
//!
//! Without options it calls the service with the defaults: the certificates that the platform trusts, and the proxy of
//! the environment (`HTTPS_PROXY`, `NO_PROXY`).
//!
//! ```sh
//! cargo run --example tls_and_proxy -- --root-certificate authority.pem --proxy http://proxy.example:3128
//! ```

mod common;

use std::{path::PathBuf, process::ExitCode};

use business_data_connector::{ConnectorBuilder, reqwest};
use clap::Parser;

/// Verifies the credentials, with a TLS authority and a proxy of your own.
#[derive(Parser)]
struct Options {
    /// A PEM file with certificates to trust in addition to those of the platform.
    #[arg(long, value_name = "FILE")]
    root_certificate: Option<PathBuf>,
    /// The proxy for all calls.
    #[arg(long, value_name = "URL")]
    proxy: Option<String>,
}

#[tokio::main]
async fn main() -> ExitCode {
    common::exit_code(run(Options::parse()).await)
}

async fn run(options: Options) -> Result<(), Box<dyn std::error::Error>> {
    let mut builder = ConnectorBuilder::from_env()?;
    let mut certificates = Vec::new();
    if let Some(path) = options.root_certificate {
        let pem = std::fs::read(&path).map_err(|e| format!("cannot read {}: {e}", path.display()))?;
        certificates = reqwest::Certificate::from_pem_bundle(&pem)?;
        if certificates.is_empty() {
            return Err(format!("{} has no certificate in PEM", path.display()).into());
        }
    }
    let proxy = options.proxy.map(reqwest::Proxy::all).transpose();
    // The URL may hold a password.
    let proxy = proxy.map_err(|e| format!("--proxy is not a usable URL: {}", e.without_url()))?;

    builder = builder.configure_client(|mut client| {
        // `tls_certs_only` would trust these and no other.
        client = client.tls_certs_merge(certificates);
        match proxy {
            Some(proxy) => client.proxy(proxy),
            None => client,
        }
    });
    let reply = builder.build()?.verify_apikey().await?;
    println!("{}: {}", reply.operation().id, reply.status());
    Ok(())
}
