//! Schemathesis, all its checks, against the running sandbox from the document.

use std::process::Command;

use anyhow::Result;

use crate::{
    artefacts::DOCUMENT,
    ci::{present, succeed},
    root,
    sandbox::Sandbox,
};

const PACKAGE: &str = "schemathesis==4.32.5";

pub fn run() -> Result<()> {
    let environment = root().join("target/schemathesis");
    let program = environment.join("bin/schemathesis");
    if !program.exists() {
        if !present("python3", &["-m", "venv", "--help"]) {
            println!("left out: schemathesis, since Python with venv is not there");
            return Ok(());
        }
        if let Err(error) = succeed(Command::new("python3").args(["-m", "venv"]).arg(&environment)) {
            println!("left out: schemathesis, since Python makes no environment here ({error:#})");
            return Ok(());
        }
        let mut pip = Command::new(environment.join("bin/python"));
        if let Err(error) =
            succeed(pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", PACKAGE]))
        {
            println!("left out: schemathesis, since it cannot be installed here ({error:#})");
            return Ok(());
        }
    }
    let sandbox = Sandbox::start(&[])?;
    succeed(
        Command::new(program)
            .args([
                "--config-file",
                "sandbox/schemathesis/schemathesis.toml",
                "run",
                DOCUMENT,
                "--url",
                &sandbox.url,
                "--checks",
                "all",
            ])
            .args(["--seed", "1", "--header", "X-API-Key: demo-header-key"])
            .env("PYTHONPATH", root().join("sandbox/schemathesis"))
            .env("SCHEMATHESIS_HOOKS", "real_values"),
    )
}
