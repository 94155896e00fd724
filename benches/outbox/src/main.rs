//! One measurement of the outbox in a process of its own, so that its peak memory and its CPU time are those of what is
//! measured: `cargo xtask bench` runs this program. What a subcommand measured is one line of JSON.

mod bare;
mod cluster;
mod enqueue;
mod figures;
mod send;
mod serve;
mod setting;

use anyhow::Result;
use clap::Parser;

/// One measurement of the outbox, or a server that it needs.
#[derive(Parser)]
enum Command {
    /// Runs a sandbox, and prints its address. It ends with its input.
    Serve(serve::Options),
    /// Runs a PostgreSQL server. Each line of its input is the name of a database to create; it prints how to connect
    /// to it. It ends with its input.
    Cluster,
    /// Adds businesses to a sandbox, and prints their identifiers, one a line.
    Businesses(setting::Service),
    /// Adds records to an outbox.
    Enqueue(enqueue::Options),
    /// Sends what is in an outbox, until everything is confirmed.
    Send(send::Options),
    /// Sends the same batches with the connector alone.
    Bare(bare::Options),
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let figures = match Command::parse() {
        Command::Serve(options) => return serve::run(options).await,
        Command::Cluster => return cluster::run().await,
        Command::Businesses(service) => return setting::add_businesses(&service).await,
        Command::Enqueue(options) => enqueue::run(options).await?,
        Command::Send(options) => send::run(options).await?,
        Command::Bare(options) => bare::run(options).await?,
    };
    println!("{}", serde_json::to_string(&figures)?);
    Ok(())
}
