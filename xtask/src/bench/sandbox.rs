//! The sandbox: its throughput, and its growth.

use anyhow::Result;

use super::{fill, growth::Growth, programs::Programs, servers, throughput, wrk::MISSING};
use crate::command::{leave_out, succeeds};

/// A section of the results, and the lines of the plots.
pub fn measure(programs: &Programs) -> Result<(String, Vec<Growth>)> {
    servers::build_sandbox()?;
    let mut text = String::new();
    // It has no option that succeeds and does nothing.
    if !succeeds("sh", &["-c", "command -v wrk"]) {
        leave_out(format!("the sandbox under load: {MISSING}"))?;
    } else if !succeeds("node", &["--version"]) || !succeeds("npm", &["--version"]) {
        leave_out("the sandbox under load: Node.js is not installed")?;
    } else {
        text += &throughput::measure()?;
    }
    let (growth, lines) = fill::measure(programs)?;
    Ok((text + &growth, lines))
}
