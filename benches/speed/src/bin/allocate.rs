//! Prints how often one repetition of a case allocates, how much, and the peak above what was there before.

use anyhow::Result;
use clap::Parser;
use speed::{
    arms::Arm,
    case::Case,
    run::{input, measured},
    with_arm,
};
use tokio::runtime::Builder;

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

#[derive(Parser)]
struct Options {
    /// hyper, reqwest, progenitor or connector
    arm: String,
    case: Case,
    /// Address of the program `serve`
    base_url: String,
}

fn main() -> Result<()> {
    let options = Options::parse();
    with_arm!(options.arm.as_str(), allocate(&options))
}

fn allocate<A: Arm>(options: &Options) -> Result<()> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let arm = A::new(&options.base_url)?;
    for _ in 0..3 {
        measured(&runtime, &arm, options.case, input::<A>(options.case)?)?;
    }
    let input = input::<A>(options.case)?;
    let profiler = dhat::Profiler::builder().testing().build();
    measured(&runtime, &arm, options.case, input)?;
    let dhat::HeapStats { total_blocks, total_bytes, max_bytes, .. } = dhat::HeapStats::get();
    drop(profiler);
    println!("{total_blocks} {total_bytes} {max_bytes}");
    Ok(())
}
