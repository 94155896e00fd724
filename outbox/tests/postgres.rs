//! The conformance suite on a PostgreSQL server that is started for it, and what only PostgreSQL can do.

#![allow(clippy::unwrap_used, clippy::panic, reason = "the helpers of a test may fail it, as the test may")]

#[path = "postgres/cluster.rs"]
mod cluster;
#[path = "conformance/mod.rs"]
mod suite;

use std::{future::Future, pin::Pin};

use business_data_connector_outbox::testing::postgres_store;
use cluster::Cluster;
use suite::bench::{Bench, TestResult};

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
    for (n, (name, case)) in CASES.iter().enumerate() {
        println!("{name}");
        let (pool, _) = cluster.database(&format!("case_{n}")).await;
        case(&Bench::new(postgres_store(pool).await?)).await.map_err(|error| format!("{name}: {error}"))?;
    }
    println!("{} cases", CASES.len());
    Ok(())
}
