//! Schemathesis, all its checks, against the running sandbox from the document.

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
};

use anyhow::{Context, Result, bail};

use crate::{
    artefacts::DOCUMENT,
    ci::{present, succeed},
    root,
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
    succeed(Command::new(env!("CARGO")).args(["build", "--quiet", "--package", "business-data-connector-sandbox"]))?;
    let sandbox = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--package", "business-data-connector-sandbox", "--", "--listen", "127.0.0.1:0"])
        .current_dir(root())
        .env("RUST_LOG", "off")
        .env_remove("BDC_APIKEY")
        .env_remove("BDC_APPID")
        .env_remove("BDC_HEADER_KEY")
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot run the sandbox")?;
    let mut sandbox = Stopped(sandbox);
    let mut line = String::new();
    BufReader::new(sandbox.0.stdout.take().context("the sandbox has no output")?).read_line(&mut line)?;
    let Some(url) = line.strip_prefix("listening on ").and_then(|line| line.split(' ').next()) else {
        bail!("the sandbox tells no address: {line}");
    };
    succeed(
        Command::new(program)
            .args([
                "--config-file",
                "sandbox/schemathesis/schemathesis.toml",
                "run",
                DOCUMENT,
                "--url",
                url,
                "--checks",
                "all",
            ])
            .args(["--seed", "1", "--header", "X-API-Key: demo-header-key"])
            .env("PYTHONPATH", root().join("sandbox/schemathesis"))
            .env("SCHEMATHESIS_HOOKS", "real_values"),
    )
}

/// Ends the process with itself.
struct Stopped(Child);

impl Drop for Stopped {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
