//! Under load, as many records are stored as pushes were accepted.

mod support;

use std::sync::{
    Arc,
    atomic::{AtomicU32, AtomicUsize, Ordering},
};

use business_data_connector::{Connector, types::IncomeRecord};
use business_data_connector_sandbox::{DEMO_APIKEY, DEMO_APPID, DEMO_BUSINESS, Sandbox};
use support::TestResult;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn as_many_records_are_stored_as_pushes_were_accepted_at_64_connections() -> TestResult {
    // For a longer run:
    // BDC_LOAD_PUSHES=500000 cargo test --release -p business-data-connector-sandbox --test load
    let pushes: u32 = std::env::var("BDC_LOAD_PUSHES").ok().and_then(|pushes| pushes.parse().ok()).unwrap_or(6_000);
    let folder = tempfile::tempdir()?;
    let sandbox = Sandbox::builder().data(folder.path().join("sandbox.db")).start().await?;
    let connector = Connector::builder().base_url(sandbox.base_url()).credentials(DEMO_APIKEY, DEMO_APPID).build()?;
    let (next, accepted) = (Arc::<AtomicU32>::default(), Arc::<AtomicUsize>::default());
    let callers: Vec<_> = (0..64)
        .map(|_| {
            let (connector, next, accepted) = (connector.clone(), next.clone(), accepted.clone());
            tokio::spawn(async move {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= pushes {
                        return;
                    }
                    let record = IncomeRecord::new().id(number.to_string()).amount(number);
                    if connector.push_income(DEMO_BUSINESS, record).await.is_ok() {
                        accepted.fetch_add(1, Ordering::Relaxed);
                    }
                }
            })
        })
        .collect();
    for caller in callers {
        caller.await?;
    }
    let accepted = accepted.load(Ordering::Relaxed);
    let stored = sandbox.records(DEMO_BUSINESS)?.len();
    println!("{accepted} accepted, {stored} stored");
    assert_eq!((accepted, stored), (pushes as usize, pushes as usize));
    Ok(())
}
