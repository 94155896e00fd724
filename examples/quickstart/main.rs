//! Runs all operations of the interface against the sandbox, or any service, and compares what was pushed with what is
//! held.

mod ledger;
mod listener;
mod report;
mod run;
mod totals;
mod upload;

use std::{path::PathBuf, process::ExitCode};

use business_data_connector::{Connector, ConnectorBuilder};
use business_data_connector_sandbox::{DEMO_APIKEY, DEMO_APPID, DEMO_HEADER_KEY, Sandbox};
use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};

use crate::{ledger::Ledger, listener::Listener, run::Run, totals::Totals};

/// Pushes a ledger through all operations of the interface and compares the totals of both sides.
#[derive(Parser)]
struct Options {
    /// The ledger to push, as `{business, sales, income, expenses, settlements}`.
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/ledger.json"))]
    ledger: PathBuf,
    /// A running service, with credentials from BDC_APIKEY, BDC_APPID and BDC_HEADER_KEY; otherwise a sandbox is started. The
    /// ledger stays there. Callbacks go to 127.0.0.1, so they arrive from a service on this machine only.
    #[arg(long)]
    url: Option<String>,
    /// The business to push for, instead of one that is created; with --url.
    #[arg(long, requires = "url")]
    uid: Option<String>,
    /// With --url: also call the reset, which removes the test data of the business.
    #[arg(long, requires = "url")]
    reset: bool,
}

#[tokio::main]
async fn main() -> ExitCode {
    let problems = match run(Options::parse()).await {
        Ok(problems) => problems,
        Err(problem) => vec![problem],
    };
    for problem in &problems {
        eprintln!("quickstart: {problem}");
    }
    if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

async fn run(options: Options) -> Result<Vec<String>, String> {
    let ledger = Ledger::read(&options.ledger)?;
    let pushed = Totals::of_ledger(&ledger)?;
    let (sandbox, connector) = match &options.url {
        Some(url) => (None, ConnectorBuilder::from_env().and_then(|builder| builder.base_url(url).build())),
        None => {
            let sandbox = Sandbox::start().await.map_err(|e| format!("the sandbox does not start: {e}"))?;
            let connector = Connector::builder()
                .base_url(sandbox.base_url())
                .credentials(DEMO_APIKEY, DEMO_APPID)
                .header_key(DEMO_HEADER_KEY)
                .build();
            (Some(sandbox), connector)
        }
    };
    let connector = connector.map_err(|e| e.to_string())?;
    let listener = Listener::start().await.map_err(|e| format!("callbacks cannot be received: {e}"))?;
    let style =
        ProgressStyle::with_template("{bar:40} {pos} of {len} records, {elapsed}").map_err(|e| e.to_string())?;
    let bar = ProgressBar::new(ledger.len() as u64).with_style(style);
    let (report, left_out) = Default::default();
    let mut run = Run { connector, listener: &listener, bar: bar.clone(), report, left_out };
    let reset = sandbox.is_some() || options.reset;
    let result = run.all(&ledger, options.uid, reset).await;
    bar.finish_and_clear();

    let mut problems = report::operations(&run.report, &run.left_out, &listener);
    println!();
    let uid = match result {
        Ok(uid) => uid,
        // What was not reached after that is no problem of its own; the sandbox knows why it refused.
        Err(problem) => return Ok([vec![problem], sandbox.as_ref().map(refusals).unwrap_or_default()].concat()),
    };
    match &sandbox {
        Some(sandbox) => problems.extend(report::totals(&pushed, &held(sandbox, &uid)?)),
        None => println!("The interface tells no totals, so what the service holds is not compared."),
    }
    if let Some(sandbox) = sandbox {
        problems.extend(refusals(&sandbox));
    }
    if problems.is_empty() {
        println!("\n{} operations answered, every callback received, nothing off.", run.report.len());
    }
    Ok(problems)
}

fn refusals(sandbox: &Sandbox) -> Vec<String> {
    sandbox.refusals().iter().map(|refusal| format!("the sandbox refused {refusal}")).collect()
}

fn held(sandbox: &Sandbox, uid: &str) -> Result<Totals, String> {
    Totals::of_records(&sandbox.records(uid).map_err(|e| e.to_string())?)
}
