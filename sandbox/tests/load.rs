//! Under load, as many records are held as pushes were answered.

use std::{
    error::Error,
    sync::{
        Arc,
        atomic::{AtomicU32, AtomicUsize, Ordering},
    },
};

use business_data_connector::{Connector, types::IncomeRecord};
use business_data_connector_sandbox::{DEMO_APIKEY, DEMO_APPID, DEMO_BUSINESS, Sandbox};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn as_many_records_are_held_as_pushes_were_answered_at_64_connections() -> Result<(), Box<dyn Error>> {
    // More for a longer run: BDC_LOAD_PUSHES=500000 cargo test --release -p business-data-connector-sandbox --test load
    let pushes: u32 = std::env::var("BDC_LOAD_PUSHES").ok().and_then(|pushes| pushes.parse().ok()).unwrap_or(6_000);
    let folder = tempfile::tempdir()?;
    let sandbox = Sandbox::builder().data(folder.path().join("sandbox.db")).start().await?;
    let connector = Connector::builder().base_url(sandbox.base_url()).credentials(DEMO_APIKEY, DEMO_APPID).build()?;
    let (next, answered) = (Arc::<AtomicU32>::default(), Arc::<AtomicUsize>::default());
    let callers: Vec<_> = (0..64)
        .map(|_| {
            let (connector, next, answered) = (connector.clone(), next.clone(), answered.clone());
            tokio::spawn(async move {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= pushes {
                        return;
                    }
                    let record = IncomeRecord::new().id(number.to_string()).amount(number);
                    if connector.push_income(DEMO_BUSINESS, record).await.is_ok() {
                        answered.fetch_add(1, Ordering::Relaxed);
                    }
                }
            })
        })
        .collect();
    for caller in callers {
        caller.await?;
    }
    let answered = answered.load(Ordering::Relaxed);
    let held = sandbox.records(DEMO_BUSINESS)?.len();
    println!("{answered} answered, {held} held");
    assert_eq!((answered, held), (pushes as usize, pushes as usize));
    Ok(())
}
