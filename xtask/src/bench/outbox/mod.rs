//! The outbox beside the bare connector, and its memory from ten thousand to a million records.

mod memory;
mod process;
mod run;
mod throughput;

use anyhow::Result;

use super::results::Results;
use crate::command;

pub fn measure(results: &mut Results) -> Result<()> {
    command::cargo(&["build", "--quiet", "--release", "--package", "outbox-speed"])?;
    throughput::measure(results)?;
    memory::measure(results)
}
