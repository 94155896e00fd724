//! The sandbox: its throughput, and its growth.

use anyhow::Result;

use super::{
    fill,
    programs::{Programs, output_of, version},
    results::Results,
    servers, throughput,
    wrk::MISSING,
};
use crate::command::{leave_out, succeeds};

pub fn measure(results: &mut Results) -> Result<()> {
    servers::build_sandbox()?;
    // It has no option that succeeds and does nothing.
    if !succeeds("sh", &["-c", "command -v wrk"]) {
        leave_out(format!("the sandbox under load: {MISSING}"))?;
    } else if !succeeds("node", &["--version"]) || !succeeds("npm", &["--version"]) {
        leave_out("the sandbox under load: Node.js is not installed")?;
    } else {
        results.versions.push(format!("Node.js {}", version("node")));
        results.versions.push(output_of("sh", &["-c", "wrk --version | head -n 1 | cut -d ' ' -f 1-2"]));
        throughput::measure(results)?;
    }
    let (text, growth) = fill::measure(&Programs::start()?)?;
    results.section(text);
    results.growth.push(("sandbox", growth));
    Ok(())
}
