//! Pushes records, one call after another: a whole process, to be compared with those of other languages.

use anyhow::Result;
use clap::Parser;
use speed::{arms::Arm, with_arm};

#[derive(Parser)]
struct Options {
    /// hyper, reqwest, progenitor or connector
    arm: String,
    /// How many calls
    calls: usize,
    /// Address of the program `serve`
    base_url: String,
}

fn main() -> Result<()> {
    let options = Options::parse();
    with_arm!(options.arm.as_str(), push(&options))
}

fn push<A: Arm>(options: &Options) -> Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let arm = A::new(&options.base_url)?;
    runtime.block_on(async {
        for number in 0..options.calls {
            arm.push_income(A::record(number)?).await?;
        }
        Ok(())
    })
}
