//! `cargo xtask bench`: the speed of the connector as ratios to a client written by hand with reqwest.

mod allocations;
mod cases;
mod instructions;
mod limits;
mod plot;
mod programs;
mod results;
mod slices;

use anyhow::{Result, bail};
use clap::Args;

use self::{limits::Limits, programs::Programs};
use crate::command::{leave_out, succeeds};

#[derive(Args, Default)]
pub struct Options {
    /// Only instructions and allocations, which other work on the machine does not change
    #[arg(long)]
    pub quick: bool,
}

pub fn run(options: &Options) -> Result<()> {
    if !succeeds("valgrind", &["--version"]) {
        return leave_out("the speed: valgrind is not installed; on Debian: apt-get install valgrind");
    }
    let limits = Limits::read()?;
    let programs = Programs::start()?;
    let instructions = instructions::measure(&programs)?;
    let allocations = allocations::measure(&programs)?;
    let mut text = results::table(&instructions, &allocations);
    if !options.quick {
        text += &slices::measure(&programs)?;
    }
    print!("{text}");
    let ratios: Vec<_> = instructions.ratios().into_iter().chain(allocations.ratios()).collect();
    let broken = limits.broken(&ratios);
    if !broken.is_empty() {
        bail!("{}", broken.join("\n"));
    }
    println!("{} ratios are within {}", ratios.len(), limits::PATH);
    if !options.quick {
        results::write(&text)?;
        plot::draw(&instructions)?;
    }
    Ok(())
}
