//! How a sandbox starts and stops.

mod support;

use business_data_connector::{RetryPolicy, types::IncomeRecord};
use business_data_connector_sandbox::{DEMO_BUSINESS, Error, FaultRule, Sandbox};
use support::{TestResult, builder, raw, receiver};
use tokio::net::TcpListener;

#[tokio::test]
async fn a_stop_finishes_accepted_requests() -> TestResult {
    let sandbox = Sandbox::start().await?;
    let connector = builder(&sandbox).build()?;
    let (webhook, mut callbacks) = receiver().await?;
    for _ in 0..50 {
        connector.push_income(DEMO_BUSINESS, IncomeRecord::new()).webhook(&webhook).await?;
    }
    drop(connector);
    sandbox.stop().await?;
    let mut received = 0;
    while callbacks.try_recv().is_ok() {
        received += 1;
    }
    assert_eq!(received, 50);
    Ok(())
}

#[tokio::test]
async fn a_fault_may_be_configured_from_the_start() -> TestResult {
    let rule = FaultRule::new("401".parse()?).times(1);
    let sandbox = Sandbox::builder().fault(rule).start().await?;
    let connector = builder(&sandbox).build()?;
    assert!(connector.verify_apikey().await.is_err_and(|error| error.is_unauthorized()));
    connector.verify_apikey().await?;
    Ok(())
}

#[tokio::test]
async fn a_dropped_sandbox_stops() -> TestResult {
    let sandbox = Sandbox::start().await?;
    let connector = builder(&sandbox).retry_policy(RetryPolicy::never()).build()?;
    connector.verify_apikey().await?;
    drop(sandbox);
    // An open connection may serve one more request; no further connection is accepted.
    while connector.verify_apikey().await.is_ok() {}
    Ok(())
}

#[tokio::test]
async fn a_dropped_sandbox_releases_its_file_even_with_a_delayed_reply() -> TestResult {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("sandbox.db");
    let sandbox = Sandbox::builder().data(&file).start().await?;
    let url = format!("{}/api/push/income", sandbox.base_url());
    let body = r#"{"apikey":"demo-apikey","appid":"demo-appid","uid":"demo-business","data":{"notes":"sandbox:latency=3600000"}}"#;
    let caller = tokio::spawn(async move { raw("POST", &url, "application/json", body).await.is_ok() });
    while sandbox.requests().is_empty() {
        tokio::task::yield_now().await;
    }
    caller.abort();
    drop(sandbox);
    // This waits for the dropped one to let go of the file.
    let sandbox = Sandbox::builder().data(&file).start().await?;
    assert_eq!(sandbox.records(DEMO_BUSINESS)?.len(), 1);
    Ok(())
}

#[tokio::test]
async fn an_address_in_use_is_an_error() -> TestResult {
    let used = TcpListener::bind("127.0.0.1:0").await?;
    let error = Sandbox::builder().listen(used.local_addr()?).start().await.err().ok_or("both listen")?;
    assert!(matches!(error, Error::Listen { address, .. } if address == used.local_addr()?), "{error}");
    Ok(())
}
