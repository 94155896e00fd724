//! Schemathesis, which tests the running sandbox with requests that it generates from the document.

use std::process::Command;

use anyhow::Result;

use super::sandbox::Sandbox;
use crate::{
    command::{leave_out, run as run_command, succeeds},
    workspace::{DOCUMENT, root},
};

const PACKAGE: &str = "schemathesis==4.32.5";

pub fn run() -> Result<()> {
    // One environment per version, since an existing one may contain another version.
    let environment = root().join("target").join(PACKAGE.replace("==", "-"));
    let program = environment.join("bin/schemathesis");
    if !program.exists() {
        if !succeeds("python3", &["-m", "venv", "--help"]) {
            return leave_out("schemathesis, since it requires Python with venv");
        }
        let python = environment.join("bin/python");
        let created = run_command(Command::new("python3").args(["-m", "venv"]).arg(&environment)).and_then(|()| {
            let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", PACKAGE];
            run_command(Command::new(python).args(install))
        });
        if let Err(error) = created {
            return leave_out(format!("schemathesis, since it cannot be installed here ({error:#})"));
        }
    }
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
