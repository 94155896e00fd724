//! Calls of the connector beside those of clients written by hand.

use std::fmt::Write;

use anyhow::Result;

use super::{
    allocations::{self, Allocations},
    cases::{CASES, CLIENTS, PEER},
    instructions::{self, Instructions},
    programs::{Programs, version},
    results::Results,
    slices,
};
use crate::command::{leave_out, succeeds};

/// What other work on the machine does not change.
pub fn counts(results: &mut Results) -> Result<()> {
    if !succeeds("valgrind", &["--version"]) {
        return leave_out("the speed: valgrind is not installed; on Debian: apt-get install valgrind");
    }
    results.versions.push(version("valgrind"));
    let programs = Programs::start()?;
    let instructions = instructions::measure(&programs)?;
    let allocations = allocations::measure(&programs)?;
    results.section(table(&instructions, &allocations));
    results.ratios.extend(instructions.ratios().into_iter().chain(allocations.ratios()));
    results.instructions = Some(instructions);
    Ok(())
}

pub fn time(results: &mut Results) -> Result<()> {
    results.section(slices::measure(&Programs::start()?)?);
    Ok(())
}

fn table(instructions: &Instructions, allocations: &Allocations) -> String {
    let mut text = String::from(
        "## Calls: instructions, allocations and memory\n\nThe connector beside clients that do the same by hand with \
         hyper and reqwest, and beside what progenitor generates by\ndefault. Per repetition, after the connection is \
         open. `small` pushes one record, `hundred` and `bulk` push 100 and 10,000 in\none request, `write` and `read` \
         are 2,000 records as JSON text. All clients but the connector hold money as `f64`.\n\n\
         | case | client | instructions | ratio | allocations | peak in bytes |\n|---|---|---:|---:|---:|---:|\n",
    );
    for case in CASES {
        for client in CLIENTS {
            let key = (case, client);
            let (Some(count), Some(peer)) = (instructions.0.get(&key), instructions.0.get(&(case, PEER))) else {
                continue;
            };
            let (blocks, peak) = allocations.0.get(&key).copied().unwrap_or_default();
            let ratio = *count as f64 / *peer as f64;
            let _ = writeln!(text, "| {case} | {client} | {count} | {ratio:.3} | {blocks} | {peak} |");
        }
    }
    text
}
