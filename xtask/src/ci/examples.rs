//! Runs the library's examples, each against a sandbox of its own.

use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::{
    command::run as run_command,
    tools::sandbox::{CREDENTIALS, Sandbox},
    workspace::targets,
};

const LIBRARY: &str = "business-data-connector";

pub fn run() -> Result<()> {
    let targets = targets()?;
    let examples = targets.iter().filter(|target| target.package == LIBRARY && target.kind == "example");
    let names: Vec<_> = examples.map(|target| target.name.as_str()).collect();
    ensure!(!names.is_empty(), "cargo metadata lists no examples");
    for name in names {
        println!("example: {name}");
        let mut cargo = Command::new(env!("CARGO"));
        cargo.args(["run", "--quiet", "--package", LIBRARY, "--example", name]);
        let ran = if STARTS_ITS_OWN.contains(&name) {
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
const STARTS_ITS_OWN: [&str; 1] = ["quickstart"];
