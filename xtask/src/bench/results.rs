//! The tables of `benches/RESULTS.md`.

use std::{fmt::Write, fs, process::Command};

use anyhow::Result;

use super::{
    allocations::Allocations,
    cases::{CASES, CLIENTS, PEER},
    instructions::Instructions,
    programs::output,
};
use crate::workspace::root;

const PATH: &str = "benches/RESULTS.md";

pub fn table(instructions: &Instructions, allocations: &Allocations) -> String {
    let mut text = String::from(
        "## Instructions, allocations and memory\n\nPer repetition, after the connection is open. `small` pushes one \
         record, `hundred` and `bulk` push 100 and 10,000 in\none request, `write` and `read` are 2,000 records as JSON \
         text. All clients but the connector hold money as `f64`.\n\n\
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

/// Writes the file, with the machine and the versions.
pub fn write(tables: &str) -> Result<()> {
    let run = |program: &str, arguments: &[&str]| {
        output(Command::new(program).args(arguments)).unwrap_or_default().trim().to_owned()
    };
    let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or("unknown");
    let model = model.trim_start_matches([' ', '\t', ':']);
    let cores = cpu.lines().filter(|line| line.starts_with("processor")).count();
    let text = format!(
        "# Results\n\nWritten by `cargo xtask bench`. The connector beside clients that do the same by hand with hyper \
         and reqwest, and beside\nwhat progenitor generates by default.\n\n- date: {}\n- machine: {model}, {cores} cores, \
         {}\n- versions: {}, {}\n\n{tables}",
        run("date", &["--iso-8601"]),
        run("uname", &["-sr"]),
        run("rustc", &["--version"]),
        run("valgrind", &["--version"]),
    );
    fs::write(root().join(PATH), text)?;
    println!("wrote {PATH}");
    Ok(())
}
