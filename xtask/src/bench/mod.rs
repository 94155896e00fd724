//! `cargo xtask bench`: the speed of the connector, the outbox and the sandbox, and what a dependant pays for a build.

mod allocations;
mod build;
mod calls;
mod cases;
mod fill;
mod growth;
mod instructions;
mod languages;
mod limits;
mod outbox;
mod plot;
mod process;
mod programs;
mod results;
mod sandbox;
mod server;
mod servers;
mod slices;
mod spread;
mod throughput;
mod wrk;

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};

use self::{limits::Limits, results::Results};

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
    /// The outbox, beside the bare connector
    Outbox,
    /// The sandbox under load, and its growth
    Sandbox,
    /// Processes of generated clients of other languages
    Languages,
    /// What a dependant pays for a build
    Build,
}

impl Section {
    fn measure(self, results: &mut Results) -> Result<()> {
        match self {
            Self::Calls => calls::counts(results).and_then(|()| calls::time(results)),
            Self::Outbox => outbox::measure(results),
            Self::Sandbox => sandbox::measure(results),
            Self::Languages => languages::measure(results),
            Self::Build => build::measure(results),
        }
    }
}

pub fn run(options: &Options) -> Result<()> {
    let limits = Limits::read()?;
    let mut results = Results::new();
    match options.only {
        _ if options.quick => calls::counts(&mut results)?,
        Some(section) => section.measure(&mut results)?,
        // In the order of the file.
        None => Section::value_variants().iter().try_for_each(|section| section.measure(&mut results))?,
    }
    if !options.quick && options.only.is_none() {
        results.write()?;
        plot::draw(&results)?;
    }
    let broken = limits.broken(&results.ratios);
    if !broken.is_empty() {
        bail!("{}", broken.join("\n"));
    }
    println!("{} ratios are within {}", results.ratios.len(), limits::PATH);
    Ok(())
}
