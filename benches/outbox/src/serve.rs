//! A sandbox.

use std::{io, process, thread};

use anyhow::Result;
use business_data_connector_sandbox::{Fault, FaultRule, Sandbox};
use clap::Args;

#[derive(Args)]
pub struct Options {
    /// How long the reply to a batch takes, in milliseconds
    #[arg(long, default_value_t = 0)]
    latency: u64,
}

pub async fn run(options: Options) -> Result<()> {
    let mut builder = Sandbox::builder();
    if options.latency > 0 {
        builder = builder.fault(FaultRule::new(Fault::Latency(options.latency)).operation("push_many"));
    }
    let sandbox = builder.start().await?;
    println!("{}", sandbox.base_url());
    // Whoever started this program holds its input.
    thread::spawn(|| {
        let _ = io::copy(&mut io::stdin(), &mut io::sink());
        process::exit(0);
    });
    std::future::pending().await
}
