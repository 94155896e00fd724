//! Runs the sandbox as a process, on a free port.

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
};

use anyhow::{Context, Result, bail};

use crate::{command, workspace::root};

/// The demo value of the header key.
pub const HEADER_KEY: &str = "demo-header-key";

/// The environment in which a client of the sandbox has its demo credentials.
pub const CREDENTIALS: [(&str, &str); 3] =
    [("BDC_APIKEY", "demo-apikey"), ("BDC_APPID", "demo-appid"), ("BDC_HEADER_KEY", HEADER_KEY)];

/// A running sandbox, which is stopped on drop.
pub struct Sandbox {
    process: Child,
    pub url: String,
}

impl Sandbox {
    pub fn start(options: &[&str]) -> Result<Self> {
        const PACKAGE: [&str; 3] = ["--quiet", "--package", "business-data-connector-sandbox"];

        command::run(Command::new(env!("CARGO")).arg("build").args(PACKAGE))?;
        let mut cargo = Command::new(env!("CARGO"));
        Self::start_with(cargo.arg("run").args(PACKAGE).arg("--").args(options))
    }

    /// Starts it with a command that begins with its program.
    pub fn start_with(program: &mut Command) -> Result<Self> {
        program.args(["--listen", "127.0.0.1:0"]).env("RUST_LOG", "off");
        // They would replace the demo credentials.
        CREDENTIALS.iter().for_each(|(name, _)| _ = program.env_remove(name));
        let mut process =
            program.current_dir(root()).stdout(Stdio::piped()).spawn().context("cannot start the sandbox")?;
        let output = process.stdout.take();
        let mut sandbox = Self { process, url: String::new() };
        let mut line = String::new();
        BufReader::new(output.context("the sandbox has no output")?).read_line(&mut line)?;
        match line.strip_prefix("listening on ").and_then(|line| line.split(' ').next()) {
            Some(url) => sandbox.url = url.to_owned(),
            None => bail!("the sandbox does not report its address, but {line:?}"),
        }
        Ok(sandbox)
    }

    /// The number of its process; with `start`, that of cargo.
    pub fn id(&self) -> u32 {
        self.process.id()
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        // Both fail if it has already exited.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
