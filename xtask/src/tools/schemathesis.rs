//! Schemathesis, all its checks, against the running sandbox from the document.

use std::process::Command;

use anyhow::Result;

use crate::{
    artefacts::DOCUMENT,
    ci::{leave_out, present, succeed},
    root,
    sandbox::Sandbox,
};

const PACKAGE: &str = "schemathesis==4.32.5";

pub fn run() -> Result<()> {
    // One for each version: a folder that is there may be of another.
    let environment = root().join("target").join(PACKAGE.replace("==", "-"));
    let program = environment.join("bin/schemathesis");
    if !program.exists() {
        if !present("python3", &["-m", "venv", "--help"]) {
            return leave_out("schemathesis, since Python with venv is not there");
        }
        let pip = environment.join("bin/python");
        let made = succeed(Command::new("python3").args(["-m", "venv"]).arg(&environment)).and_then(|()| {
            let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", PACKAGE];
            succeed(Command::new(pip).args(install))
        });
        if let Err(error) = made {
            return leave_out(format!("schemathesis, since it cannot be installed here ({error:#})"));
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
