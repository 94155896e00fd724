//! The conformance suite on a PostgreSQL server that is started for it, and what only PostgreSQL can do.

#![allow(clippy::unwrap_used, clippy::panic, reason = "the helpers of a test may fail it, as the test may")]

#[path = "postgres/cluster.rs"]
mod cluster;
#[path = "postgres/sharing.rs"]
mod sharing;
#[path = "conformance/mod.rs"]
mod suite;
#[path = "postgres/workers.rs"]
mod workers;

use std::{
    collections::{HashMap, VecDeque},
    future::Future,
    pin::Pin,
    time::Duration,
};

use business_data_connector::{
    Connector,
    types::{BusinessData, IncomeRecord},
};
use business_data_connector_outbox::{Outbox, State, testing::postgres_store};
use business_data_connector_sandbox::{DEMO_APIKEY, DEMO_APPID, DEMO_HEADER_KEY, Fault, FaultRule, Sandbox};
use cluster::Cluster;
use suite::bench::{Bench, TestResult};
use workers::WorkerProcess;

type Case = (&'static str, for<'a> fn(&'a Bench) -> Pin<Box<dyn Future<Output = TestResult> + 'a>>);

macro_rules! list {
    ($($module:ident :: $case:ident),* $(,)?) => {
        const CASES: &[Case] = &[$((stringify!($case), |bench| Box::pin(suite::$module::$case(bench)))),*];
    };
}

suite::each_case!(list);

#[tokio::test(flavor = "multi_thread")]
async fn the_store_conforms() -> TestResult {
    let Some(cluster) = Cluster::start() else { return Ok(()) };
    conforms(&cluster).await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_store_conforms_behind_a_pooler_in_transaction_mode() -> TestResult {
    let Some(cluster) = Cluster::start_with_pooler() else { return Ok(()) };
    conforms(&cluster).await
}

async fn conforms(cluster: &Cluster) -> TestResult {
    for (n, (name, case)) in CASES.iter().enumerate() {
        println!("{name}");
        let (pool, _) = cluster.database(&format!("case_{n}")).await;
        case(&Bench::new(postgres_store(pool).await?)).await.map_err(|error| format!("{name}: {error}"))?;
    }
    println!("{} cases", CASES.len());
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_tables_are_shared_with_other_programs() -> TestResult {
    let Some(cluster) = Cluster::start() else { return Ok(()) };
    sharing::tables_are_made_once_and_not_before_somebody_says_so(&cluster).await?;
    sharing::requests_are_added_in_a_transaction_of_the_application(&cluster).await?;
    sharing::a_transaction_that_is_open_delays_nobody_else(&cluster).await?;
    sharing::a_request_that_is_committed_late_does_not_overtake_a_reset(&cluster).await?;
    sharing::a_worker_whose_clock_is_wrong_waits_as_long_as_any_other(&cluster).await?;
    sharing::an_application_needs_no_more_than_to_add(&cluster).await?;
    sharing::an_operator_reads_states_and_may_remove_requests(&cluster).await?;
    sharing::a_statement_that_fails_is_told_and_leaves_nothing_behind(&cluster).await
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "a worker, which another test starts"]
async fn a_worker_that_another_test_starts() -> TestResult {
    workers::work().await
}

/// Eight workers, of which one is killed each second for ten seconds, and replaced.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_sent_twice_and_nothing_is_lost_however_many_workers_are_killed() -> TestResult {
    let Some(cluster) = Cluster::start() else { return Ok(()) };
    let (pool, address) = cluster.database("workers").await;
    let outbox = Outbox::postgres(pool).await?;
    let sandbox = Sandbox::start().await?;
    create_businesses(&sandbox).await?;
    // Long enough that whoever is killed is killed while sending.
    sandbox.add_fault(FaultRule::new(Fault::Latency(40)).operation("push_many"))?;
    let mut workers: VecDeque<_> = (0..8).map(|_| WorkerProcess::start(&address, sandbox.base_url())).collect();
    let (mut taken, mut added, mut seconds) = (Taken::default(), 0_u64, tokio::time::interval(Duration::from_secs(1)));
    for second in 0..=10 {
        seconds.tick().await;
        for uid in 1..=BUSINESSES {
            let income = (0..20).map(|n| IncomeRecord::new().id(format!("INV-{second}-{n}")));
            added += outbox.enqueue_all(&format!("business-{uid}"), income).await?.new;
        }
        if second > 0 {
            workers.pop_front().unwrap().kill();
            workers.push_back(WorkerProcess::start(&address, sandbox.base_url()));
        }
        taken.read(&sandbox);
    }
    // Leases end, and what remains is sent.
    loop {
        seconds.tick().await;
        taken.read(&sandbox);
        let counts = outbox.counts().await?;
        if counts.get(State::Queued) + counts.get(State::Sending) == 0 {
            break;
        }
    }
    workers.into_iter().for_each(WorkerProcess::stop);
    taken.read(&sandbox);

    let counts = outbox.counts().await?;
    println!("{} requests\n{counts}", taken.requests);
    assert_eq!((counts.total(), added), (11 * 20 * BUSINESSES, 11 * 20 * BUSINESSES), "nothing is lost");
    let known = [State::Taken, State::Confirmed, State::Unknown];
    assert_eq!(known.map(|state| counts.get(state)).iter().sum::<u64>(), added, "{counts}");
    assert!(counts.get(State::Unknown) > 0, "nobody was killed while sending");
    let taken_for_sure = counts.get(State::Taken) + counts.get(State::Confirmed);
    assert!(taken_for_sure > counts.get(State::Unknown), "{counts}");
    let twice: Vec<_> = taken.records.iter().filter(|(_, times)| **times > 1).collect();
    assert!(twice.is_empty(), "{twice:?}");
    for entry in outbox.entries(None, 0, usize::MAX).await? {
        let key = (entry.uid.unwrap(), entry.record_id.unwrap());
        let is_there = taken.records.contains_key(&key);
        assert!(is_there || entry.state == State::Unknown, "{key:?} is {}, and was not sent", entry.state);
    }
    Ok(())
}

const BUSINESSES: u64 = 20;

/// Creates `business-1` and so on.
async fn create_businesses(sandbox: &Sandbox) -> TestResult {
    let connector = Connector::builder().base_url(sandbox.base_url()).credentials(DEMO_APIKEY, DEMO_APPID);
    let connector = connector.header_key(DEMO_HEADER_KEY).build()?;
    for n in 1..=BUSINESSES {
        connector.push_business(BusinessData::new().email(format!("{n}@partner.example"))).await?;
    }
    // They are there once what is queued was executed.
    assert!(sandbox.records(&format!("business-{BUSINESSES}"))?.is_empty());
    Ok(())
}

/// What the service took: how often each record.
#[derive(Default)]
struct Taken {
    requests: u64,
    records: HashMap<(String, String), u32>,
}

impl Taken {
    /// Reads the log, which keeps the last thousand requests.
    fn read(&mut self, sandbox: &Sandbox) {
        let seen = self.requests;
        for request in sandbox.requests().into_iter().filter(|request| request.number > seen) {
            assert_eq!(request.number, self.requests + 1, "the log has forgotten requests");
            self.requests = request.number;
            let Some(body) = request.body.filter(|_| request.accepted) else { continue };
            let body: serde_json::Value = serde_json::from_str(body.get()).unwrap();
            for record in body["data"]["income"].as_array().into_iter().flatten() {
                let id = record["id"].as_str().unwrap().to_owned();
                *self.records.entry((request.uid.clone().unwrap(), id)).or_default() += 1;
            }
        }
    }
}
