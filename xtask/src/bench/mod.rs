//! `cargo xtask bench`: the speed of the connector and of the outbox, and what a dependant pays for a build.

mod allocations;
mod build;
mod calls;
mod cases;
mod growth;
mod instructions;
mod limits;
mod outbox;
mod plot;
mod programs;
mod results;
mod slices;
mod spread;

use anyhow::{Result, bail};
use clap::Args;

use self::{limits::Limits, results::Results};

#[derive(Args, Default)]
pub struct Options {
    /// Only instructions and allocations, which other work on the machine does not change
    #[arg(long)]
    pub quick: bool,
}

/// A part of the results, which can be measured alone.
struct Section {
    measure: fn(&mut Results) -> Result<()>,
    /// Whether it is part of `--quick`.
    quick: bool,
}

/// In the order of `benches/RESULTS.md`.
const SECTIONS: &[Section] = &[
    Section { measure: calls::counts, quick: true },
    Section { measure: calls::time, quick: false },
    Section { measure: outbox::measure, quick: false },
    Section { measure: build::measure, quick: false },
];

pub fn run(options: &Options) -> Result<()> {
    let limits = Limits::read()?;
    let mut results = Results::new();
    for section in SECTIONS.iter().filter(|section| section.quick || !options.quick) {
        (section.measure)(&mut results)?;
    }
    if !options.quick {
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
