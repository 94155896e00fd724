//! An application that decides itself which certificates its connector accepts. Its arguments are the name of a
//! setting, a URL, and files with the certificate of the service's authority, of another authority, and with a client's
//! identity.

use std::{env, error::Error, fs};

use business_data_connector::{
    Connector,
    reqwest::{Certificate, Identity, tls::Version},
};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<_> = env::args().skip(1).collect();
    let [setting, url, authority, other, identity] = arguments.as_slice() else { return Err("five arguments".into()) };
    let authority = Certificate::from_pem(&fs::read(authority)?)?;
    let other = Certificate::from_pem(&fs::read(other)?)?;
    let identity = Identity::from_pem(&fs::read(identity)?)?;
    let setting = setting.clone();
    let connector = Connector::builder()
        .base_url(url)
        .credentials("apikey", "appid")
        .configure_client(move |client| match setting.as_str() {
            "merge" => client.tls_certs_merge([authority]),
            "only" => client.tls_certs_only([authority]),
            "only another" => client.tls_certs_only([other]),
            "any" => client.tls_danger_accept_invalid_certs(true),
            "identity" => client.tls_certs_only([authority]).identity(identity),
            "at most 1.2" => client.tls_certs_only([authority]).tls_version_max(Version::TLS_1_2),
            "without a server name" => client.tls_certs_only([authority]).tls_sni(false),
            _ => client,
        })
        .build()?;
    match connector.push_reset("demo-business").await {
        Ok(_) => println!("accepted"),
        Err(_) => println!("refused"),
    }
    Ok(())
}
