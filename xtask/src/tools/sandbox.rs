//! The sandbox as a process, on a free port.

use std::{
    io::{BufRead, BufReader},
    process::{Child, Command, Stdio},
};

use anyhow::{Context, Result, bail};

use crate::{ci::succeed, root};

/// A running sandbox, which ends with this.
pub struct Sandbox {
    process: Child,
    pub url: String,
}

impl Sandbox {
    pub fn start(options: &[&str]) -> Result<Self> {
        const PACKAGE: [&str; 3] = ["--quiet", "--package", "business-data-connector-sandbox"];

        succeed(Command::new(env!("CARGO")).arg("build").args(PACKAGE))?;
        let mut process = Command::new(env!("CARGO"))
            .arg("run")
            .args(PACKAGE)
            .args(["--", "--listen", "127.0.0.1:0"])
            .args(options)
            .current_dir(root())
            .env("RUST_LOG", "off")
            .env_remove("BDC_APIKEY")
            .env_remove("BDC_APPID")
            .env_remove("BDC_HEADER_KEY")
            .stdout(Stdio::piped())
            .spawn()
            .context("cannot run the sandbox")?;
        let output = process.stdout.take();
        let mut sandbox = Self { process, url: String::new() };
        let mut line = String::new();
        BufReader::new(output.context("the sandbox has no output")?).read_line(&mut line)?;
        match line.strip_prefix("listening on ").and_then(|line| line.split(' ').next()) {
            Some(url) => sandbox.url = url.to_owned(),
            None => bail!("the sandbox tells no address: {line}"),
        }
        Ok(sandbox)
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
