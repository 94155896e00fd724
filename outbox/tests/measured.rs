//! Memory and throughput, measured by hand in release mode:
//!
//! ```sh
//! cargo test --release -p business-data-connector-outbox --test measured -- --ignored --nocapture --test-threads 1
//! ```
//!
//! Each measurement runs in a process of its own, which is this test binary again, against a sandbox in another one.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "the helpers of a test may fail it, as the test may")]

use std::{
    path::PathBuf,
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use business_data_connector::{
    Connector, Decimal,
    callback::CallbackKey,
    inbox::{Inbox, SqliteStore, Synchronous},
    types::{IncomeRecord, ManyRecords, PushManyRequest},
};
use business_data_connector_outbox::{Outbox, State};
use business_data_connector_sandbox::{DEMO_APIKEY, DEMO_APPID, Sandbox};

const UID: &str = "demo-business";

fn income(number: u64) -> IncomeRecord {
    let record = IncomeRecord::new().id(format!("INV-{number}")).currency("ZAR").date("2026-03-31");
    record.name("A customer of the shop").category("Sales").amount(Decimal::from(number))
}

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_default()
}

/// The peak memory of this process, in KiB.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// Runs one of the processes below, and returns the number that it printed.
fn measure(process: &str, records: u64, folder: &std::path::Path, sandbox: &str) -> f64 {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", process, "--ignored", "--nocapture"]).stderr(Stdio::inherit());
    command.env("BDC_FOLDER", folder).env("BDC_RECORDS", records.to_string()).env("BDC_SANDBOX", sandbox);
    let output = String::from_utf8(command.output().unwrap().stdout).unwrap();
    let line = output.lines().find_map(|line| line.split_once("measured: ")).unwrap();
    line.1.trim().parse().unwrap()
}

/// A sandbox in a process of its own; it ends with the value.
struct Service(std::process::Child, String);

impl Service {
    fn start() -> Self {
        let address = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "as_the_sandbox", "--ignored"]).env("BDC_LISTEN", address.to_string());
        let child = command.stdout(Stdio::null()).spawn().unwrap();
        while std::net::TcpStream::connect(address).is_err() {
            std::thread::yield_now();
        }
        Self(child, format!("http://{address}"))
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test]
#[ignore = "a process of another test"]
async fn as_the_sandbox() {
    let Ok(address) = variable("BDC_LISTEN").parse() else { return };
    let _sandbox = Sandbox::builder().listen(address).start().await.unwrap();
    std::future::pending::<()>().await;
}

async fn setting() -> Option<(PathBuf, u64, Outbox)> {
    let records = variable("BDC_RECORDS").parse().ok()?;
    let folder = PathBuf::from(variable("BDC_FOLDER"));
    let outbox = Outbox::sqlite(folder.join("outbox.db")).await.unwrap();
    Some((folder, records, outbox))
}

async fn service(folder: &std::path::Path) -> (Connector, Inbox) {
    let builder = Connector::builder().base_url(variable("BDC_SANDBOX")).credentials(DEMO_APIKEY, DEMO_APPID);
    let store = SqliteStore::open_with(folder.join("callbacks.db"), Synchronous::Full).unwrap();
    let address = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let key = CallbackKey::new(1, b"32 bytes that the tests agree on").unwrap();
    let inbox = Inbox::builder(&format!("http://{address}"), key).store(store).bind(address).await.unwrap();
    (builder.build().unwrap(), inbox)
}

#[tokio::test]
#[ignore = "a process of another test"]
async fn enqueueing() {
    let Some((_, records, outbox)) = setting().await else { return };
    outbox.enqueue_all(UID, (0..records).map(income)).await.unwrap();
    println!("measured: {}", peak());
}

async fn run_all(outbox: &Outbox, folder: &std::path::Path) -> Duration {
    let (connector, inbox) = service(folder).await;
    let begun = Instant::now();
    let worker = outbox.worker(connector, inbox).run().await.unwrap();
    let mut tick = tokio::time::interval(Duration::from_millis(5));
    let mut sent = None;
    loop {
        tick.tick().await;
        let counts = outbox.counts().await.unwrap();
        if sent.is_none() && counts.get(State::Queued) + counts.get(State::Sending) == 0 {
            sent = Some(begun.elapsed());
        }
        if counts.get(State::Confirmed) == counts.total() {
            break;
        }
    }
    worker.stop().await;
    sent.unwrap()
}

#[tokio::test]
#[ignore = "a process of another test"]
async fn running() {
    let Some((folder, _, outbox)) = setting().await else { return };
    run_all(&outbox, &folder).await;
    println!("measured: {}", peak());
}

#[tokio::test]
#[ignore = "a process of another test"]
async fn sending() {
    let Some((folder, records, outbox)) = setting().await else { return };
    outbox.enqueue_all(UID, (0..records).map(income)).await.unwrap();
    println!("measured: {}", run_all(&outbox, &folder).await.as_secs_f64());
}

/// The same batches with the bare connector, and the same callbacks to the same kind of inbox.
#[tokio::test]
#[ignore = "a process of another test"]
async fn sending_bare() {
    let Some((folder, records, _)) = setting().await else { return };
    let (connector, inbox) = service(&folder).await;
    let all: Vec<_> = (0..records).map(income).collect();
    let begun = Instant::now();
    for batch in all.chunks(100) {
        let mut request = PushManyRequest::new(UID, ManyRecords::new().income(batch.to_vec()));
        inbox.endpoint().attach(&mut request).unwrap();
        connector.send(request).await.unwrap();
    }
    println!("measured: {}", begun.elapsed().as_secs_f64());
}

#[test]
#[ignore = "takes minutes"]
fn peak_memory_does_not_depend_on_the_number_of_records() {
    let most = variable("BDC_MOST").parse().unwrap_or(1_000_000);
    for process in ["enqueueing", "running"] {
        let mut first = None;
        for records in [10_000, 100_000, 1_000_000].into_iter().filter(|records| *records <= most) {
            let folder = tempfile::tempdir().unwrap();
            let service = Service::start();
            if process == "running" {
                measure("enqueueing", records, folder.path(), &service.1);
            }
            let peak = measure(process, records, folder.path(), &service.1);
            let ratio = peak / *first.get_or_insert(peak);
            println!("{process}: {records} records: {peak} KiB, {ratio:.2} of 10,000");
            assert!(ratio < 1.1, "{process}");
        }
    }
}

#[test]
#[ignore = "takes minutes"]
fn throughput_is_at_least_eight_tenths_of_the_bare_connector() {
    let mut ratios = Vec::new();
    for _ in 0..5 {
        let times = ["sending_bare", "sending"].map(|process| {
            let (folder, service) = (tempfile::tempdir().unwrap(), Service::start());
            measure(process, 50_000, folder.path(), &service.1)
        });
        println!("50,000 records: bare {:.2} s, through the outbox {:.2} s", times[0], times[1]);
        ratios.push(times[0] / times[1]);
    }
    ratios.sort_by(f64::total_cmp);
    println!("ratio: {:.2} to {:.2}, median {:.2}", ratios[0], ratios[4], ratios[2]);
    assert!(ratios[2] >= 0.8, "{ratios:?}");
}
