//! The interim and the final callback of one request.

mod support;

use business_data_connector::types::IncomeRecord;
use business_data_connector_sandbox::{DEMO_BUSINESS, Sandbox};
use support::{TestResult, builder, receiver};

#[tokio::test]
async fn the_final_callback_has_a_later_timestamp_than_the_interim_one() -> TestResult {
    let sandbox = Sandbox::start().await?;
    let (webhook, mut callbacks) = receiver().await?;
    let record = IncomeRecord::new().notes("sandbox:callback-interim");
    builder(&sandbox).build()?.push_income(DEMO_BUSINESS, record).webhook(webhook).await?;
    let mut timestamp = async || -> TestResult<String> {
        let callback = callbacks.recv().await.ok_or("no callback")?;
        Ok(callback["timestamp"].as_str().ok_or("no timestamp")?.to_owned())
    };
    let (interim, last) = (timestamp().await?, timestamp().await?);
    // RFC 3339 in UTC with a fixed number of digits is ordered as text.
    assert!(interim < last, "{interim} {last}");
    Ok(())
}
