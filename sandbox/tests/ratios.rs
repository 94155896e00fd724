//! What is behind a push, or beside it, does not slow it down: measured as ratios, since times depend on the machine.
//! Ignored by default, since it takes minutes and wants a quiet machine:
//!
//! cargo test --release -p business-data-connector-sandbox --test ratios -- --ignored --nocapture --test-threads 1

mod support;

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use axum::{Router, routing::post};
use business_data_connector::types::{IncomeRecord, ManyRecords};
use business_data_connector_sandbox::{DEMO_BUSINESS, Sandbox};
use rusqlite::Connection;
use support::{TestResult, builder, raw, serve};
use tokio::sync::mpsc;

/// How often each measurement is made; the median counts.
const ROUNDS: usize = 5;

fn median<T: Copy + PartialOrd>(mut values: Vec<T>) -> Option<T> {
    values.sort_by(|one, other| one.partial_cmp(other).unwrap_or(std::cmp::Ordering::Equal));
    values.get(values.len() / 2).copied()
}

/// A data file with delivered callbacks.
async fn with_delivered(folder: &Path, rows: u32) -> TestResult<PathBuf> {
    let file = folder.join(format!("{rows}.db"));
    Sandbox::builder().data(&file).start().await?.stop().await?;
    Connection::open(&file)?.execute_batch(&format!(
        "BEGIN;
         INSERT INTO callbacks (operation, direction, webhook, uid, created, delivered, finished, size, response)
             WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < {rows})
             SELECT 'push_income', 'push', 'http://127.0.0.1:1/', '{DEMO_BUSINESS}', 0, 1, 1, 30,
                 '{{\"error\":false,\"message\":\"done\"}}' FROM n WHERE {rows} > 0;
         INSERT INTO attempts SELECT id, 0, 'replied 200' FROM callbacks;
         COMMIT;"
    ))?;
    Ok(file)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "a measurement"]
async fn three_hundred_deliveries_take_the_same_time_with_a_million_behind_them() -> TestResult {
    const PUSHES: usize = 300;

    let folder = tempfile::tempdir()?;
    let (sender, mut received) = mpsc::unbounded_channel();
    let webhook = serve(Router::new().route("/", post(async move || _ = sender.send(())))).await?;
    let rows = [0, 100_000, 1_000_000];
    let mut sandboxes = Vec::new();
    for rows in rows {
        let file = with_delivered(folder.path(), rows).await?;
        sandboxes.push(Sandbox::builder().data(file).keep_callbacks(u64::MAX).start().await?);
    }
    let mut times = vec![Vec::new(); rows.len()];
    // In turn, so that what else the machine does concerns each of them.
    for _ in 0..=ROUNDS {
        for (sandbox, times) in sandboxes.iter().zip(&mut times) {
            let connector = builder(sandbox).build()?;
            let started = Instant::now();
            for _ in 0..PUSHES {
                connector.push_income(DEMO_BUSINESS, IncomeRecord::new()).webhook(&webhook).await?;
            }
            for _ in 0..PUSHES {
                received.recv().await;
            }
            times.push(started.elapsed());
        }
    }
    // The first round fills caches.
    let medians: Vec<_> = times.into_iter().filter_map(|times| median(times[1..].to_vec())).collect();
    let ratio = |index: usize| medians[index].as_secs_f64() / medians[0].as_secs_f64();
    println!("{PUSHES} pushes and their deliveries: {medians:?} with {rows:?} behind them");
    println!("ratios: {:.2} and {:.2}", ratio(1), ratio(2));
    assert!(ratio(1) <= 1.2 && ratio(2) <= 1.2);
    Ok(())
}

/// The 95th percentile of the times of pushes.
async fn p95(sandbox: &Sandbox, pushes: u32) -> TestResult<Duration> {
    let connector = builder(sandbox).build()?;
    let mut times = Vec::new();
    for number in 0..pushes {
        let started = Instant::now();
        connector.push_income(DEMO_BUSINESS, IncomeRecord::new().id(number.to_string())).await?;
        times.push(started.elapsed());
    }
    times.sort();
    Ok(times[times.len() * 95 / 100])
}

/// Polls what the page polls while a business is open, as often.
async fn poll(url: String, on: Arc<AtomicBool>) -> TestResult {
    let get = async |path: &str| raw("GET", &format!("{url}/_sandbox/{path}"), "", "").await;
    let records = format!("businesses/{DEMO_BUSINESS}/records");
    let mut seconds = tokio::time::interval(Duration::from_secs(1));
    let mut next = Instant::now();
    loop {
        seconds.tick().await;
        if !on.load(Ordering::Relaxed) {
            continue;
        }
        for path in ["requests?after=1000000", "businesses", "callbacks", "faults"] {
            get(path).await?;
        }
        let started = Instant::now();
        if started >= next {
            get(&records).await?;
            next = Instant::now() + started.elapsed() * 24;
        }
    }
}

async fn polled(sandbox: Sandbox) -> TestResult<f64> {
    const PUSHES: u32 = 3_000;

    // As many records as a large business has, and large responses to a receiver that does not reply.
    let connector = builder(&sandbox).build()?;
    for part in 0..20_u32 {
        let record = |id: u32| IncomeRecord::new().id(format!("{part}-{id}")).name("x".repeat(60));
        connector
            .push_many(DEMO_BUSINESS, ManyRecords::new().income((0..5_000).map(record).collect::<Vec<_>>()))
            .await?;
    }
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    for _ in 0..100 {
        connector.pull_income(DEMO_BUSINESS, format!("http://{}/", silent.local_addr()?)).await?;
    }
    sandbox.callbacks()?;
    let on = Arc::<AtomicBool>::default();
    let (url, switch) = (sandbox.base_url().to_owned(), on.clone());
    let polling = tokio::spawn(async move { poll(url, switch).await.map_err(|error| error.to_string()) });
    let (mut without, mut with) = (Vec::new(), Vec::new());
    for round in 0..=ROUNDS {
        on.store(false, Ordering::Relaxed);
        without.extend(Some(p95(&sandbox, PUSHES).await?).filter(|_| round > 0));
        on.store(true, Ordering::Relaxed);
        with.extend(Some(p95(&sandbox, PUSHES).await?).filter(|_| round > 0));
    }
    assert!(!polling.is_finished(), "the client that polls has failed");
    polling.abort();
    let (without, with) = (median(without).ok_or("no rounds")?, median(with).ok_or("no rounds")?);
    let ratio = with.as_secs_f64() / without.as_secs_f64();
    println!("p95 of a push: {without:?} without a client that polls, {with:?} with one; ratio {ratio:.2}");
    Ok(ratio)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "a measurement"]
async fn a_client_that_polls_the_inspection_api_slows_no_push_down() -> TestResult {
    let folder = tempfile::tempdir()?;
    let in_file = polled(Sandbox::builder().data(folder.path().join("file")).start().await?).await?;
    let in_memory = polled(Sandbox::start().await?).await?;
    println!("ratios: {in_file:.2} in a file, {in_memory:.2} in memory");
    assert!(in_file <= 1.3 && in_memory <= 1.3);
    Ok(())
}
