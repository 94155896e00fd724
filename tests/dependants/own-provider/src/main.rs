//! An application that chooses the crypto provider itself. Its arguments are a URL, and a file with the certificate of
//! the service's authority.

use std::{env, error::Error, fs};

use business_data_connector::{Connector, ConnectorBuilder, reqwest::Certificate};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let [url, authority] = arguments.as_slice() else { return Err("two arguments".into()) };
    let authority = Certificate::from_pem(&fs::read(authority)?)?;
    match builder(url).build() {
        Ok(_) => println!("built without a provider"),
        Err(error) => println!("{error}"),
    }
    println!("installed: {}", rustls::crypto::CryptoProvider::get_default().is_some());

    _ = rustls::crypto::ring::default_provider().install_default();
    let connector = builder(url).configure_client(|client| client.tls_certs_only([authority])).build()?;
    println!("{}", connector.push_reset("demo-business").await?.status());
    Ok(())
}

fn builder(url: &str) -> ConnectorBuilder {
    Connector::builder().base_url(url).credentials("apikey", "appid")
}
