//! Runs the examples of the library and the outbox, each against a sandbox of its own.

use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::{
    command::run as run_command,
    tools::sandbox::{CREDENTIALS, Sandbox},
    workspace::targets,
};

const PACKAGES: [&str; 2] = ["business-data-connector", "business-data-connector-outbox"];

pub fn run() -> Result<()> {
    let targets = targets()?;
    for package in PACKAGES {
        let examples = targets.iter().filter(|target| target.package == package && target.kind == "example");
        let names: Vec<_> = examples.map(|target| target.name.as_str()).collect();
        ensure!(!names.is_empty(), "cargo metadata lists no examples of {package}");
        run_all(package, &names)?;
    }
    Ok(())
}

fn run_all(package: &str, names: &[&str]) -> Result<()> {
    for name in names {
        println!("example: {name}");
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["run", "--quiet", "--package", package, "--example", name]);
        let ran = if STARTS_ITS_OWN.contains(name) {
            run_command(&mut cargo)
        } else {
            let sandbox = Sandbox::start(&[])?;
            run_command(cargo.env("BDC_BASE_URL", &sandbox.url).envs(CREDENTIALS))
        };
        ran.with_context(|| format!("example `{name}`"))?;
    }
    Ok(())
}

/// Starts a sandbox itself unless it is given a URL.
const STARTS_ITS_OWN: [&str; 2] = ["ledger", "quickstart"];
