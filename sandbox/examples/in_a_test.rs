//! Tests an integration: a sandbox in the same process, an injected fault, and the records that arrived.
//!
//! `cargo run -p business-data-connector-sandbox --example in_a_test`

use business_data_connector::{Connector, Decimal, types::IncomeRecord};
use business_data_connector_sandbox::{DEMO_APIKEY, DEMO_APPID, DEMO_BUSINESS, Fault, FaultRule, Sandbox};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let sandbox = Sandbox::start().await?;
    let connector = Connector::builder().base_url(sandbox.base_url()).credentials(DEMO_APIKEY, DEMO_APPID).build()?;

    // The push is stored, and the connection is reset before the reply.
    sandbox.add_fault(FaultRule::new(Fault::ResetAfter).times(1))?;
    let income = IncomeRecord::new().id("INV-1").amount(Decimal::try_from("19.99")?);
    let outcome = connector.push_income(DEMO_BUSINESS, income.clone()).await;
    assert!(outcome.is_err_and(|error| error.is_outcome_unknown()));

    // The sandbox replaces a record of the same id. Whether the service does is not specified.
    connector.push_income(DEMO_BUSINESS, income).await?;
    let records = sandbox.records(DEMO_BUSINESS)?;
    assert_eq!(records.len(), 1);
    assert_eq!(records[0].json::<IncomeRecord>()?.amount, Some(Decimal::try_from("19.99")?));
    println!("stored once: {}", records[0].as_str());
    Ok(())
}
