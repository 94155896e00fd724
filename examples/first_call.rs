//! The first call: verifies the credentials, pushes one income, and prints the reply.
//!
//! ```sh
//! cargo run --example first_call           # for the business `demo-business`, which every sandbox has
//! cargo run --example first_call -- UID    # for another business
//! ```

mod common;

use std::process::ExitCode;

use business_data_connector::{Connector, Decimal, types::IncomeRecord};

#[tokio::main]
async fn main() -> ExitCode {
    common::exit_code(run().await)
}

async fn run() -> Result<(), Box<dyn std::error::Error>> {
    let uid = std::env::args().nth(1).unwrap_or_else(|| "demo-business".to_owned());

    // From BDC_BASE_URL, BDC_APIKEY, BDC_APPID and BDC_HEADER_KEY. `Connector::builder()` takes them from elsewhere.
    let connector = Connector::from_env()?;
    connector.verify_apikey().await?;
    println!("The credentials are valid.");

    // What an operation requires is an argument; everything optional is a setter. Amounts are exact decimals, and the
    // `id` is your own.
    let income = IncomeRecord::new()
        .id("INV-1")
        .date("2026-03-31")
        .name("Annual subscription")
        .currency("ZAR")
        .amount(Decimal::try_from("19.99")?);
    let reply = connector.push_income(uid, income).await?;

    // The interface documents no content for a reply, but deployed services do answer with some.
    println!("{}: {}", reply.operation().id, reply.status());
    println!("The body: {}", if reply.bytes().is_empty() { "none".into() } else { reply.text() });
    Ok(())
}
