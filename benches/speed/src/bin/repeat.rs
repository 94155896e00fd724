//! Runs a case several times. Under callgrind, the function `measured` is what is counted.

use anyhow::Result;
use clap::Parser;
use speed::{
    arms::Arm,
    case::Case,
    run::{input, measured},
    with_arm,
};
use tokio::runtime::Builder;

#[derive(Parser)]
struct Options {
    /// hyper, reqwest, progenitor or connector
    arm: String,
    case: Case,
    /// How often
    times: usize,
    /// Address of the program `serve`
    base_url: String,
}

fn main() -> Result<()> {
    let options = Options::parse();
    with_arm!(options.arm.as_str(), repeat(&options))
}

fn repeat<A: Arm>(options: &Options) -> Result<()> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let arm = A::new(&options.base_url)?;
    // Connects, and fills what is filled once.
    runtime.block_on(arm.push_income(A::record(0)?))?;
    for _ in 0..options.times {
        let input = input::<A>(options.case)?;
        measured(&runtime, &arm, options.case, input)?;
    }
    Ok(())
}
