//! A tour of the interface: all its operations against a sandbox, or any service, with callbacks. At the end it
//! compares the totals that were pushed with those that the sandbox holds.

mod ledger;
mod report;
mod run;
mod totals;

use std::{path::PathBuf, process::ExitCode};

use business_data_connector::{Connector, ConnectorBuilder, inbox::Inbox};
use business_data_connector_sandbox::{DEMO_APIKEY, DEMO_APPID, DEMO_HEADER_KEY, Sandbox};
use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};

use crate::{ledger::Ledger, run::Run, totals::Totals};

/// Pushes a ledger through all operations of the interface, and compares what was pushed with what the sandbox holds.
#[derive(Parser)]
struct Options {
    /// The ledger to push, as `{business, sales, income, expenses, settlements}`.
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/ledger.json"))]
    ledger: PathBuf,
    /// A running service to use instead of starting a sandbox, with credentials from BDC_APIKEY, BDC_APPID and
    /// BDC_HEADER_KEY. The ledger is not removed from it. Callbacks are received on 127.0.0.1, so only a service on
    /// this machine can deliver them.
    #[arg(long)]
    url: Option<String>,
    /// The business to push for, instead of creating one; requires --url.
    #[arg(long, requires = "url")]
    uid: Option<String>,
    /// Also call push_reset, which removes the test data of the business; requires --url, without which it is always
    /// called.
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
            let sandbox = Sandbox::start().await.map_err(|e| format!("the sandbox cannot be started: {e}"))?;
            let connector = Connector::builder()
                .base_url(sandbox.base_url())
                .credentials(DEMO_APIKEY, DEMO_APPID)
                .header_key(DEMO_HEADER_KEY)
                .build();
            (Some(sandbox), connector)
        }
    };
    let connector = connector.map_err(|e| e.to_string())?;
    let inbox = Inbox::bind("127.0.0.1:0", None).await.map_err(|e| e.to_string())?;
    let style =
        ProgressStyle::with_template("{bar:40} {pos} of {len} records, {elapsed}").map_err(|e| e.to_string())?;
    let bar = ProgressBar::new(ledger.len() as u64).with_style(style);
    let (report, skipped) = Default::default();
    let mut run = Run { connector, inbox: &inbox, bar: bar.clone(), report, skipped };
    let reset = sandbox.is_some() || options.reset;
    let result = run.all(&ledger, options.uid, reset).await;
    bar.finish_and_clear();

    let mut problems = report::operations(&run.report, &run.skipped, inbox.counts());
    println!();
    let uid = match result {
        Ok(uid) => uid,
        // Operations that were not reached are not reported again; the sandbox's reasons for a refusal are.
        Err(problem) => return Ok([vec![problem], sandbox.as_ref().map(refusals).unwrap_or_default()].concat()),
    };
    match &sandbox {
        Some(sandbox) => problems.extend(report::totals(&pushed, &held(sandbox, &uid)?)),
        None => {
            println!("The interface has no operation that returns totals, so what the service holds is not compared.")
        }
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
