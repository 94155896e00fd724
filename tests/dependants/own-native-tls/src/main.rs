//! An application with a client of its own that uses native-tls. Its arguments are a URL, and files with the
//! certificate of the service's authority and of another authority. It prints who accepts which.

use std::{env, error::Error, fs};

use business_data_connector::Connector;
use reqwest::{Certificate, Client, ClientBuilder};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let [url, authority, other] = arguments.as_slice() else { return Err("three arguments".into()) };
    let authority = Certificate::from_pem(&fs::read(authority)?)?;
    let other = Certificate::from_pem(&fs::read(other)?)?;
    for (name, certificate) in [("the authority", authority), ("another authority", other)] {
        let own = Client::builder().no_proxy().tls_certs_only([certificate.clone()]).build()?;
        println!("own client, {name}: {}", own.get(url).send().await.is_ok());

        let backends: [(&str, fn(ClientBuilder) -> ClientBuilder); 4] = [
            ("as it comes", |client| client),
            ("rustls", |client| client.tls_backend_rustls()),
            ("native-tls", |client| client.tls_backend_native()),
            ("configured anew", |_| ClientBuilder::new().no_proxy()),
        ];
        for (backend, choose) in backends {
            let certificate = certificate.clone();
            let connector = Connector::builder()
                .base_url(url)
                .credentials("apikey", "appid")
                .configure_client(move |client| choose(client).tls_certs_only([certificate]))
                .build()?;
            println!("connector, {backend}, {name}: {}", connector.push_reset("demo-business").await.is_ok());
        }
    }
    Ok(())
}
