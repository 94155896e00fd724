//! Memory and throughput, measured by hand in release mode:
//!
//! ```sh
//! cargo test --release -p business-data-connector-outbox --test measured -- --ignored --nocapture --test-threads 1
//! ```
//!
//! Each measurement runs in a process of its own, which is this test binary again, against a sandbox in another one.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "the helpers of a test may fail it, as the test may")]

#[path = "postgres/cluster.rs"]
mod cluster;

use std::{
    path::PathBuf,
    process::{Command, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};

use business_data_connector::{
    Connector, Decimal,
    callback::CallbackKey,
    inbox::{Inbox, SqliteStore, Synchronous},
    types::{BusinessData, IncomeRecord, ManyRecords, PushIncomeRequest, PushManyRequest},
};
use business_data_connector_outbox::{Outbox, Staged, State, testing};
use business_data_connector_sandbox::{DEMO_APIKEY, DEMO_APPID, DEMO_HEADER_KEY, Fault, FaultRule, Sandbox};

use tokio::task::JoinSet;

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
    measure_on("", process, records, folder, sandbox)
}

/// The same, with an outbox in a PostgreSQL database.
fn measure_on(postgres: &str, process: &str, records: u64, folder: &std::path::Path, sandbox: &str) -> f64 {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.env("BDC_POSTGRES", postgres);
    command.args(["--exact", process, "--ignored", "--nocapture"]).stderr(Stdio::inherit());
    command.env("BDC_FOLDER", folder).env("BDC_RECORDS", records.to_string()).env("BDC_SANDBOX", sandbox);
    let output = String::from_utf8(command.output().unwrap().stdout).unwrap();
    let line = output.lines().find_map(|line| line.split_once("measured: ")).unwrap();
    line.1.trim().parse().unwrap()
}

/// A sandbox in a process of its own; it ends with the value.
struct Service(std::process::Child, String);

impl Service {
    /// `latency` is in milliseconds.
    fn start(latency: u64) -> Self {
        let address = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "as_the_sandbox", "--ignored"]).env("BDC_LISTEN", address.to_string());
        if latency > 0 {
            command.env("BDC_LATENCY", latency.to_string());
        }
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
    let mut builder = Sandbox::builder().listen(address);
    if let Ok(latency) = variable("BDC_LATENCY").parse() {
        builder = builder.fault(FaultRule::new(Fault::Latency(latency)).operation("push_many"));
    }
    let _sandbox = builder.start().await.unwrap();
    std::future::pending::<()>().await;
}

async fn setting() -> Option<(PathBuf, u64, Outbox)> {
    let records = variable("BDC_RECORDS").parse().ok()?;
    let folder = PathBuf::from(variable("BDC_FOLDER"));
    let outbox = match variable("BDC_POSTGRES") {
        address if address.is_empty() => Outbox::sqlite(folder.join("outbox.db")).await.unwrap(),
        address => Outbox::postgres(cluster::pool(&address)).await.unwrap(),
    };
    Some((folder, records, outbox))
}

async fn service(folder: &std::path::Path) -> (Connector, Inbox) {
    let builder = Connector::builder().base_url(variable("BDC_SANDBOX")).credentials(DEMO_APIKEY, DEMO_APPID);
    let store = SqliteStore::open_with(folder.join("callbacks.db"), Synchronous::Full).unwrap();
    let address = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let key = CallbackKey::new(1, b"32 bytes that the tests agree on").unwrap();
    let inbox = Inbox::builder(&format!("http://{address}"), key).store(store).bind(address).await.unwrap();
    (builder.header_key(DEMO_HEADER_KEY).build().unwrap(), inbox)
}

#[tokio::test]
#[ignore = "a process of another test"]
async fn enqueueing() {
    let Some((_, records, outbox)) = setting().await else { return };
    outbox.enqueue_all(UID, (0..records).map(income)).await.unwrap();
    println!("measured: {}", peak());
}

/// Eight businesses that the sandbox knows.
async fn businesses(connector: &Connector, inbox: &Inbox) -> Vec<String> {
    let mut uids = Vec::new();
    for number in 0..8 {
        let data = BusinessData::new().businessname(format!("Shop {number}")).email(format!("{number}@example.com"));
        let created = connector.awaiting(inbox).push_business(data.firstname("A").lastname("B")).await.unwrap();
        uids.push(created.response().unwrap().uid.unwrap());
    }
    uids
}

async fn run_all(outbox: &Outbox, connector: Connector, inbox: Inbox) -> Duration {
    let begun = Instant::now();
    let worker = outbox.worker(connector, inbox).run().await.unwrap();
    let mut tick = tokio::time::interval(Duration::from_millis(50));
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
    let (connector, inbox) = service(&folder).await;
    run_all(&outbox, connector, inbox).await;
    println!("measured: {}", peak());
}

#[tokio::test]
#[ignore = "a process of another test"]
async fn sending() {
    let Some((folder, records, outbox)) = setting().await else { return };
    let (connector, inbox) = service(&folder).await;
    for uid in businesses(&connector, &inbox).await {
        outbox.enqueue_all(&uid, (0..records / 8).map(income)).await.unwrap();
    }
    println!("measured: {}", run_all(&outbox, connector, inbox).await.as_secs_f64());
}

/// The same batches with the bare connector, and the same callbacks to the same kind of inbox.
#[tokio::test]
#[ignore = "a process of another test"]
async fn sending_bare() {
    let Some((folder, records, _)) = setting().await else { return };
    let (connector, inbox) = service(&folder).await;
    let uids = businesses(&connector, &inbox).await;
    let all: Arc<[IncomeRecord]> = (0..records / 8).map(income).collect();
    let begun = Instant::now();
    let mut tasks = JoinSet::new();
    for uid in uids {
        let (connector, inbox, all) = (connector.clone(), inbox.clone(), all.clone());
        tasks.spawn(async move {
            for batch in all.chunks(100) {
                let mut request = PushManyRequest::new(uid.as_str(), ManyRecords::new().income(batch.to_vec()));
                inbox.endpoint().attach(&mut request).unwrap();
                connector.send(request).await.unwrap();
            }
        });
    }
    while tasks.join_next().await.is_some() {}
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
            let service = Service::start(0);
            if process == "running" {
                measure("enqueueing", records, folder.path(), &service.1);
            }
            let peak = measure(process, records, folder.path(), &service.1);
            let ratio = peak / *first.get_or_insert(peak);
            println!("{process}: {records} records: {peak} KiB, {ratio:.2} of 10,000");
            // SQLite keeps up to 2 MB of pages of each of the two files in memory.
            assert!(ratio < if process == "enqueueing" { 1.1 } else { 1.5 }, "{process}");
        }
    }
}

/// The time of the same batches without an outbox, as a ratio to the time through one: the medians of five runs with a
/// sandbox in memory, which takes a millisecond for 100 records, and with one that takes 20 ms, as a service across a
/// network does.
fn ratios(mut through: impl FnMut(&std::path::Path, &str) -> f64) -> [f64; 2] {
    [0, 20].map(|latency| {
        let mut ratios = Vec::new();
        for _ in 0..5 {
            let setting = || (tempfile::tempdir().unwrap(), Service::start(latency));
            let (folder, service) = setting();
            let bare = measure("sending_bare", RECORDS, folder.path(), &service.1);
            let (folder, service) = setting();
            let outbox = through(folder.path(), &service.1);
            println!("{latency} ms, {RECORDS} records: bare {bare:.2} s, through the outbox {outbox:.2} s");
            ratios.push(bare / outbox);
        }
        ratios.sort_by(f64::total_cmp);
        println!("{latency} ms: ratio {:.2} to {:.2}, median {:.2}", ratios[0], ratios[4], ratios[2]);
        ratios[2]
    })
}

const RECORDS: u64 = 50_000;

#[test]
#[ignore = "takes minutes"]
fn at_least_half_as_many_records_leave_as_without_the_outbox_where_a_reply_takes_20_ms() {
    let medians = ratios(|folder, service| measure("sending", RECORDS, folder, service));
    assert!(medians[1] >= 0.5, "{medians:?}");
}

#[test]
#[ignore = "takes minutes"]
fn the_same_from_postgres() {
    let Some(cluster) = cluster::Cluster::start_with("") else { return };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut runs = 0;
    let medians = ratios(|folder, service| {
        runs += 1;
        let (_, address) = runtime.block_on(cluster.database(&format!("run_{runs}")));
        measure_on(&address, "sending", RECORDS, folder, service)
    });
    println!("{medians:?}");
}

/// What the store alone takes for the batches of such a run.
#[tokio::test]
#[ignore = "prints times"]
async fn the_store_alone() {
    let folder = tempfile::tempdir().unwrap();
    let store = testing::sqlite_store(&folder.path().join("outbox.db")).unwrap();
    let requests = (0..50_000).map(|number| Staged::new(&PushIncomeRequest::new(UID, income(number))).unwrap());
    let requests: Vec<_> = requests.collect();
    let begun = Instant::now();
    for chunk in requests.chunks(500) {
        store.add(chunk.to_vec()).await.unwrap();
    }
    println!("add: {:.1} µs a record", begun.elapsed().as_secs_f64() * 20.0);
    let key = CallbackKey::new(1, b"32 bytes that the tests agree on").unwrap();
    let inbox = Inbox::builder("http://127.0.0.1:9", key).build().unwrap();
    let addresses: testing::Addresses = Arc::new(move |operation, uid| {
        let address = inbox.address_for(operation, uid).unwrap();
        Ok(testing::Address { id: address.id(), url: address.as_str().to_owned(), signature: String::new() })
    });
    let limits = testing::Limits { records: 100, bytes: 1 << 20 };
    let (mut settled, mut sends, mut advance, mut arrive) = (None, Vec::new(), Duration::ZERO, Duration::ZERO);
    loop {
        let begun = Instant::now();
        let claim = testing::Claim { limits, addresses: addresses.clone(), lease: Duration::from_secs(60) };
        let (_, batch) = store.advance(0, settled.take(), Some(claim)).await.unwrap();
        advance += begun.elapsed();
        let Some(batch) = batch else { break };
        sends.push(batch.address.id);
        let verdict = testing::Verdict {
            state: State::Taken,
            reason: None,
            check_at: None,
            alone: false,
            attempts: None,
            not_before: None,
            pause: None,
        };
        settled = Some(testing::Settlement { send: batch.address.id, uid: batch.uid, verdict });
    }
    let batches = sends.len() as f64;
    for send in sends {
        let begun = Instant::now();
        let arrival =
            testing::Arrival { send, failed: false, message: None, found: None, check_at: 0, resend_absent: false };
        store.arrived(0, arrival).await.unwrap();
        arrive += begun.elapsed();
    }
    let each = |time: Duration| time.as_secs_f64() * 1e6 / batches;
    println!("advance: {:.0} µs a batch, arrived: {:.0} µs a batch", each(advance), each(arrive));
}
