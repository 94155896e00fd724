//! The program of `benches/outbox`.

use std::process::Command;

use anyhow::Result;

use crate::{bench::programs::output, workspace::root};

/// The program with a subcommand.
pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(root().join("target/release/outbox-speed"));
    command.args(arguments);
    command
}

/// What a subcommand prints.
pub fn printed(arguments: &[&str]) -> Result<String> {
    output(&mut command(arguments))
}
