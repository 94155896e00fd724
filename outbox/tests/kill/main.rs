//! kill -9: a worker and a sandbox in processes of their own end at named points and at random times, and start again.
//! Whatever happens, nothing is sent twice, and what the sandbox holds is what the outbox knows of.
//!
//! The processes are this test binary again, with the tests `as_the_worker` and `as_the_sandbox`. Between them is a
//! proxy in the test's own process, which counts what left.

#![allow(clippy::unwrap_used, reason = "the helpers of a test may fail it, as the test may")]

mod processes;
mod proxy;

use std::{collections::BTreeSet, path::Path, time::Duration};

use business_data_connector::{
    Decimal,
    types::{ExpenseRecord, IncomeRecord},
};
use business_data_connector_outbox::{Outbox, Record, State};
use business_data_connector_sandbox::Sandbox;
use processes::{Setting, Worker};

const UID: &str = "demo-business";

/// The points in `outbox/src/worker/`.
const POINTS: [&str; 3] = ["after-sending-committed", "after-answer", "after-callback-applied"];

type TestResult = Result<(), Box<dyn std::error::Error>>;

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_ends_at_a_named_point_sends_nothing_twice_and_loses_nothing() -> TestResult {
    let folder = tempfile::tempdir()?;
    let (setting, outbox) = begin(folder.path(), 400).await?;
    let mut sandbox = setting.sandbox();
    for point in POINTS.into_iter().cycle().take(9) {
        let status = setting.worker(Some(point)).ended().await;
        assert!(!status.success(), "{point}");
    }
    finish(&setting, &outbox, 400).await?;
    sandbox.kill().await?;
    compare(folder.path(), &setting, &outbox, 400).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worker_and_a_sandbox_that_are_killed_at_any_time_send_nothing_twice_and_lose_nothing() -> TestResult {
    killed(number("BDC_OUTBOX_KILLS").unwrap_or(12)).await
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes a minute"]
async fn two_hundred_kills_leave_nothing_sent_twice_and_nothing_lost() -> TestResult {
    killed(number("BDC_OUTBOX_KILLS").unwrap_or(200)).await
}

async fn killed(kills: usize) -> TestResult {
    let seed = number("BDC_OUTBOX_SEED").map_or_else(|| fastrand::u64(..), |seed| seed as u64);
    println!("BDC_OUTBOX_SEED={seed}");
    let mut random = fastrand::Rng::with_seed(seed);
    let folder = tempfile::tempdir()?;
    let records = 60 * kills;
    let (setting, outbox) = begin(folder.path(), records).await?;
    let mut sandbox = setting.sandbox();
    for _ in 0..kills {
        let worker = setting.worker(None);
        let time = Duration::from_millis(random.u64(20..250));
        // A process is killed at a random time.
        let _ = tokio::time::timeout(time, std::future::pending::<()>()).await;
        if random.u8(0..4) == 0 {
            sandbox.kill().await?;
            sandbox = setting.sandbox();
        }
        worker.killed().await;
    }
    finish(&setting, &outbox, records).await?;
    sandbox.kill().await?;
    compare(folder.path(), &setting, &outbox, records).await
}

async fn begin(folder: &Path, records: usize) -> Result<(Setting, Outbox), Box<dyn std::error::Error>> {
    let outbox = Outbox::sqlite(folder.join("outbox.db")).await?;
    let income = |n: usize| IncomeRecord::new().id(format!("INV-{n}")).amount(Decimal::from(n as u64));
    let expense = |n: usize| ExpenseRecord::new().id(format!("EXP-{n}")).amount(Decimal::from(n as u64));
    let record = |n| if n % 3 == 0 { Record::from(expense(n)) } else { Record::from(income(n)) };
    let summary = outbox.enqueue_all(UID, (0..records).map(record)).await?;
    assert_eq!(summary.new, records as u64);
    Ok((Setting::new(folder).await, outbox))
}

/// Runs a worker until everything has a fate.
async fn finish(setting: &Setting, outbox: &Outbox, records: usize) -> TestResult {
    let worker: Worker = setting.worker(None);
    let mut tick = tokio::time::interval(Duration::from_millis(50));
    loop {
        tick.tick().await;
        let counts = outbox.counts().await?;
        let open = counts.under_way() + counts.get(State::Unconfirmed);
        let unknown = outbox.entries(Some(State::Unknown), 0, records).await?;
        if open == 0 && unknown.iter().all(|entry| entry.absent) {
            break;
        }
    }
    worker.killed().await;
    Ok(())
}

async fn compare(folder: &Path, setting: &Setting, outbox: &Outbox, records: usize) -> TestResult {
    let sandbox = Sandbox::builder().data(folder.join("sandbox.db")).start().await?;
    let held: BTreeSet<String> =
        sandbox.records(UID)?.iter().filter_map(|record| record.id().map(str::to_owned)).collect();
    let mut by_state = [BTreeSet::new(), BTreeSet::new()];
    let entries = outbox.entries(None, 0, records + 1).await?;
    assert_eq!(entries.len(), records, "nothing vanishes");
    for entry in entries {
        let id = entry.record_id.unwrap();
        let index = match entry.state {
            State::Confirmed => 0,
            State::Unknown => 1,
            state => return Err(format!("{id} is {state}").into()),
        };
        by_state[index].insert(id);
    }
    let [confirmed, unknown] = by_state;
    println!("{} confirmed, {} absent, {} held", confirmed.len(), unknown.len(), held.len());
    assert!(confirmed.is_subset(&held), "confirmed and not held: {:?}", confirmed.difference(&held).next());
    let lost = held.iter().find(|id| !confirmed.contains(*id) && !unknown.contains(*id));
    assert_eq!(lost, None, "held, and the outbox says otherwise");
    let twice: Vec<_> = setting.left().into_iter().filter(|(_, times)| *times > 1).collect();
    assert!(twice.is_empty(), "left twice: {twice:?}");
    let canary = fs_contains(folder, "demo-apikey")? || fs_contains(folder, "/cb1_")?;
    assert!(!canary, "a secret is in a file");
    Ok(())
}

/// Whether a text is in a file of the outbox, journals included.
fn fs_contains(folder: &Path, text: &str) -> std::io::Result<bool> {
    for file in std::fs::read_dir(folder)? {
        let file = file?;
        if file.file_name().to_string_lossy().starts_with("outbox.db") {
            let bytes = std::fs::read(file.path())?;
            if bytes.windows(text.len()).any(|window| window == text.as_bytes()) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

fn number(name: &str) -> Option<usize> {
    std::env::var(name).ok()?.parse().ok()
}
