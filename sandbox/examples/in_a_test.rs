//! How a user tests an integration: the sandbox in the process, a fault, and a look at what arrived.
//! `cargo run -p business-data-connector-sandbox --example in_a_test`

use business_data_connector::{Connector, Decimal, types::IncomeRecord};
use business_data_connector_sandbox::{DEMO_APIKEY, DEMO_APPID, DEMO_BUSINESS, FaultRule, Sandbox};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let sandbox = Sandbox::start().await?;
    let connector = Connector::builder().base_url(sandbox.base_url()).credentials(DEMO_APIKEY, DEMO_APPID).build()?;

    // The service stores the push, and the connection breaks before it answers.
    sandbox.add_fault(FaultRule { operation: None, fault: "reset-after".parse()?, times: Some(1) })?;
    let income = IncomeRecord::new().id("INV-1").amount(Decimal::try_from("19.99")?);
    let outcome = connector.push_income(DEMO_BUSINESS, income.clone()).await;
    assert!(outcome.is_err_and(|error| error.is_outcome_unknown()));

    // Here, and nowhere else, it is known that a second push with the same id replaces the first.
    connector.push_income(DEMO_BUSINESS, income).await?;
    let held = sandbox.records(DEMO_BUSINESS)?;
    assert_eq!(held.len(), 1);
    assert_eq!(held[0].json::<IncomeRecord>()?.amount, Some(Decimal::try_from("19.99")?));
    println!("held once: {}", held[0].as_str());
    Ok(())
}
