//! An application with a client of its own for plain HTTP, which it builds before the connector. Its argument is a URL.

use std::{env, error::Error};

use business_data_connector::Connector;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    _ = rustls::crypto::ring::default_provider().install_default();
    let url = env::args().nth(1).ok_or("one argument")?;
    let own = reqwest::Client::builder().no_proxy().build()?;
    let connector = Connector::builder().base_url(&url).credentials("apikey", "appid").build()?;

    println!("{}", own.get(url).send().await?.status());
    connector.push_reset("demo-business").await?;
    Ok(())
}
