//! A hundred callbacks a second for a minute, in memory that does not grow.
#![cfg(all(feature = "sqlite", feature = "testing"))]
// Helper functions are not covered by the exceptions for tests.
#![allow(clippy::unwrap_used)]

mod support;

use std::{
    fs,
    time::{Duration, Instant},
};

use business_data_connector::{
    callback::{CallbackKey, testing::TestCallback},
    inbox::{Inbox, InboxBuilder, SqliteStore},
};
use support::{Sender, TestResult};
use tokio::task::JoinSet;

const PER_SECOND: u32 = 100;
const SECONDS: u32 = 60;

/// The resident memory of this process, in KiB.
fn memory() -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}

/// Sends, takes and handles callbacks, and returns the memory after each second.
async fn run(configure: impl FnOnce(InboxBuilder) -> InboxBuilder) -> Result<Vec<usize>, Box<dyn std::error::Error>> {
    let inbox = configure(Inbox::builder("http://localhost", CallbackKey::random(1)?)).bind("127.0.0.1:0").await?;
    let host = inbox.local_address().ok_or("not bound")?;
    let taken = tokio::spawn({
        let mut callbacks = inbox.callbacks();
        async move {
            for _ in 0..PER_SECOND * SECONDS {
                callbacks.next().await.unwrap().done().await.unwrap();
            }
        }
    });
    let response = format!(r#"{{"error":false,"income":[{}]}}"#, vec![r#"{"amount":19.99}"#; 1000].join(","));
    let (sender, started, mut sending) = (Sender::new(), Instant::now(), JoinSet::new());
    let mut memories = Vec::new();
    for number in 0..PER_SECOND * SECONDS {
        tokio::time::sleep_until((started + Duration::from_secs(1) * number / PER_SECOND).into()).await;
        let address = inbox.endpoint().address_for("pull_income", Some("demo-business"))?;
        let body = TestCallback::new(&address).response(&response).body();
        let (sender, url) = (sender.clone(), format!("http://{host}{}", address.path()));
        sending.spawn(async move { assert_eq!(sender.post(&url, body).await, 200) });
        while sending.try_join_next().transpose()?.is_some() {}
        if number % PER_SECOND == PER_SECOND - 1 {
            memories.push(memory());
        }
    }
    println!("sent in {:?}", started.elapsed());
    sending.join_all().await;
    taken.await?;
    Ok(memories)
}

fn is_flat(memories: &[usize]) {
    println!("KiB after each second: {memories:?}");
    let (early, late) = (memories[9], memories[memories.len() - 1]);
    assert!(late < early + 8 * 1024, "{early} KiB after 10 s, {late} KiB at the end");
}

#[tokio::test]
#[ignore = "it takes a minute; cargo test --features testing --test inbox_load -- --ignored --nocapture --test-threads 1"]
async fn memory_is_flat_with_the_store_in_memory() -> TestResult {
    is_flat(&run(|builder| builder).await?);
    Ok(())
}

#[tokio::test]
#[ignore = "it takes a minute; cargo test --features testing --test inbox_load -- --ignored --nocapture --test-threads 1"]
async fn memory_is_flat_with_a_file() -> TestResult {
    let folder = tempfile::tempdir()?;
    let store = SqliteStore::open(folder.path().join("callbacks.db"))?;
    is_flat(&run(|builder| builder.store(store)).await?);
    Ok(())
}
