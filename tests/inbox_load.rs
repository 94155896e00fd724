//! A hundred callbacks a second for a minute, in memory that does not grow.
#![cfg(all(feature = "sqlite", feature = "testing"))]
#![allow(clippy::unwrap_used, reason = "the helpers of a test may fail it, as the test may")]

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
    let (sender, started) = (Sender::new(), Instant::now());
    let mut memories = Vec::new();
    for number in 0..PER_SECOND * SECONDS {
        let address = inbox.endpoint().address_for("pull_income", Some("demo-business"))?;
        let response = format!(r#"{{"error":false,"income":[{}]}}"#, vec![r#"{"amount":19.99}"#; 1000].join(","));
        let body = TestCallback::new(&address).response(&response).body();
        assert_eq!(sender.post(&format!("http://{host}{}", address.path()), body).await, 200);
        tokio::time::sleep_until((started + Duration::from_secs(1) * number / PER_SECOND).into()).await;
        if number % PER_SECOND == PER_SECOND - 1 {
            memories.push(memory());
        }
    }
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
