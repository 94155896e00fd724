//! An application with a client of its own for plain HTTP, which it builds after the connector. Its argument is a URL.

use std::{env, error::Error};

use business_data_connector::Connector;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let url = env::args().nth(1).ok_or("one argument")?;
    let connector = Connector::builder().base_url(&url).credentials("apikey", "appid").build()?;
    let own = reqwest::Client::builder().no_proxy().build()?;

    connector.push_reset("demo-business").await?;
    println!("{}", own.get(url).send().await?.status());
    Ok(())
}
