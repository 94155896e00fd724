//! `cargo xtask bench`: the speed of the connector as ratios to a client written by hand with reqwest.

mod allocations;
mod cases;
mod fill;
mod growth;
mod instructions;
mod languages;
mod limits;
mod plot;
mod process;
mod programs;
mod results;
mod sandbox;
mod servers;
mod slices;
mod throughput;
mod wrk;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};

use self::{limits::Limits, programs::Programs};
use crate::command::{leave_out, succeeds};

#[derive(Args, Default)]
pub struct Options {
    /// Only instructions and allocations, which other work on the machine does not change
    #[arg(long)]
    pub quick: bool,
    /// Only this section, which is printed and not written
    #[arg(long, value_name = "SECTION", conflicts_with = "quick")]
    pub only: Option<Section>,
}

/// A part of the results that can be measured alone.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Section {
    /// Calls of the connector, beside those by hand
    Calls,
    /// The sandbox under load, and its growth
    Sandbox,
    /// Processes of generated clients of other languages
    Languages,
}

pub fn run(options: &Options) -> Result<()> {
    match options.only {
        Some(Section::Sandbox) => print!("{}", sandbox::measure(&Programs::start()?)?.0),
        Some(Section::Languages) => print!("{}", languages::measure(&Programs::start()?)?),
        Some(Section::Calls) | None => return calls(options),
    }
    Ok(())
}

fn calls(options: &Options) -> Result<()> {
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
    if !options.quick && options.only.is_none() {
        text += &sandbox::measure(&programs)?.0;
        text += &languages::measure(&programs)?;
    }
    print!("{text}");
    let ratios: Vec<_> = instructions.ratios().into_iter().chain(allocations.ratios()).collect();
    let broken = limits.broken(&ratios);
    if !broken.is_empty() {
        bail!("{}", broken.join("\n"));
    }
    println!("{} ratios are within {}", ratios.len(), limits::PATH);
    if !options.quick && options.only.is_none() {
        results::write(&text)?;
        plot::draw(&instructions)?;
    }
    Ok(())
}
