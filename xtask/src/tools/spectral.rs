//! Spectral, the linter on which many API platforms rely. The rules are in .spectral.yaml.

use std::process::Command;

use anyhow::Result;

use crate::command::{run, succeeds};

/// The npm package, with its version.
pub const PACKAGE: &str = "@stoplight/spectral-cli@6.16.3";

/// Whether it runs, which requires Node.js and, for the first time, the npm registry.
pub fn is_available() -> bool {
    succeeds("npx", &["--yes", PACKAGE, "--version"])
}

/// Lints documents; an error for any finding, even a hint.
pub fn lint(documents: &[&str]) -> Result<()> {
    let mut npx = Command::new("npx");
    npx.args(["--yes", PACKAGE, "lint", "--ruleset", ".spectral.yaml", "--fail-severity", "hint"]);
    run(npx.args(documents))
}
