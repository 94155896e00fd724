//! CPU time in slices that alternate, as a table.

use std::fmt::Write;

use anyhow::{Context, Result};

use super::programs::Programs;

pub fn measure(programs: &Programs) -> Result<String> {
    let output = programs.output("slices", &[])?;
    let mut text =
        "## Calls: CPU time\n\nIn slices that alternate, with a second client of reqwest as a control: rounds in \
        which it differs from the\nfirst by more than 5 % do not count. The ratio to reqwest: median (quartiles).\n\n\
        | load | client | ratio | rounds |\n|---|---|---|---|\n"
            .to_owned();
    for line in output.lines() {
        let [load, client, median, low, high, rounds] =
            <[&str; 6]>::try_from(line.split('\t').collect::<Vec<_>>()).ok().context("`slices` wrote another line")?;
        writeln!(text, "| {load} | {client} | {median} ({low} to {high}) | {rounds} |")?;
    }
    Ok(text)
}
