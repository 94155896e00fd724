//! `cargo xtask ci layout`: rules on the layout of the source that no other tool checks.

mod circles;
mod crates;
mod lines;
mod references;

use anyhow::{Result, bail};

use crate::workspace::{root, targets};

pub fn run() -> Result<()> {
    let (files, mut findings) = lines::check(&root())?;
    let roots: Vec<_> = targets()?.into_iter().map(|target| target.root).collect();
    for root_file in &roots {
        findings.extend(circles::check(root_file, &root())?);
    }
    // Tests share their helpers, whose circles are found once per test.
    findings.sort();
    findings.dedup();
    if findings.is_empty() {
        println!("{files} source files and {} crates checked", roots.len());
        return Ok(());
    }
    bail!("{}", findings.join("\n"))
}
