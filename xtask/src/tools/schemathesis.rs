//! Schemathesis, which tests the running sandbox with requests that it generates from the document.

use std::process::Command;

use anyhow::Result;

use super::{python, sandbox::Sandbox};
use crate::{
    command::{leave_out, run as run_command},
    workspace::{DOCUMENT, root},
};

const PACKAGE: &str = "schemathesis==4.32.5";

pub fn run() -> Result<()> {
    let program = match python::program(PACKAGE, "schemathesis", &[]) {
        Ok(program) => program,
        Err(error) => return leave_out(format!("schemathesis, since it cannot be installed here ({error:#})")),
    };
    let sandbox = Sandbox::start(&[])?;
    run_command(
        Command::new(program)
            .args(["--config-file", "sandbox/schemathesis/schemathesis.toml", "run", DOCUMENT])
            .args(["--url", &sandbox.url, "--checks", "all"])
            .args(["--seed", "1", "--header", "X-API-Key: demo-header-key"])
            .env("PYTHONPATH", root().join("sandbox/schemathesis"))
            .env("SCHEMATHESIS_HOOKS", "real_values"),
    )
}
