//! A PostgreSQL server, as the tests of the outbox start one.

#[path = "../../../outbox/tests/postgres/cluster.rs"]
#[allow(clippy::unwrap_used, reason = "a server of a test may fail it")]
mod server;

use std::io::stdin;

use anyhow::{Context, Result};

use self::server::Cluster;
pub use self::server::pool;

pub async fn run() -> Result<()> {
    let cluster = Cluster::start_with("").context("PostgreSQL is not installed")?;
    for name in stdin().lines() {
        let (pool, address) = cluster.database(&name?).await;
        let version: String = pool.get().await?.query_one("SHOW server_version", &[]).await?.get(0);
        println!("{version}\t{address}");
    }
    Ok(())
}
