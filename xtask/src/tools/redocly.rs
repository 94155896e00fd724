//! Redocly's command line tool, which lints and compares OpenAPI documents, and renders the reference page.

use std::process::Command;

use anyhow::Result;

use crate::command::{run, succeeds};

/// The npm package, with its version.
pub const PACKAGE: &str = "@redocly/cli@2.77.0";

/// Whether it runs, which requires Node.js and, for the first time, the npm registry.
pub fn is_available() -> bool {
    succeeds("npx", &["--yes", PACKAGE, "--version"])
}

/// Runs the tool. Telemetry is disabled in redocly.yaml.
pub fn redocly(arguments: &[&str]) -> Result<()> {
    let mut npx = Command::new("npx");
    run(npx.args(["--yes", PACKAGE]).args(arguments).env("REDOCLY_SUPPRESS_UPDATE_NOTICE", "true"))
}
