//! The programs of `benches/speed`, built for release, and the server that all clients talk to.

use std::{
    io::{BufRead, BufReader},
    path::PathBuf,
    process::{Child, Command, Stdio},
};

use anyhow::{Context, Result, bail};

use crate::{command, workspace::root};

pub struct Programs {
    folder: PathBuf,
    server: Child,
    pub base_url: String,
}

impl Programs {
    pub fn start() -> Result<Self> {
        command::cargo(&["build", "--quiet", "--release", "--package", "speed"])?;
        let folder = root().join("target/release");
        // The server ends with its input.
        let mut server = Command::new(folder.join("serve")).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let mut base_url = String::new();
        BufReader::new(server.stdout.take().context("the server has no output")?).read_line(&mut base_url)?;
        Ok(Self { folder, server, base_url: base_url.trim().to_owned() })
    }

    pub fn command(&self, program: &str) -> Command {
        Command::new(self.folder.join(program))
    }

    /// What a program writes to its output.
    pub fn output(&self, program: &str, arguments: &[&str]) -> Result<String> {
        self.output_at(&self.base_url, program, arguments)
    }

    /// The same with another server.
    pub fn output_at(&self, base_url: &str, program: &str, arguments: &[&str]) -> Result<String> {
        output(self.command(program).args(arguments).arg(base_url))
    }
}

impl Drop for Programs {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

pub fn output(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("cannot run {command:?}"))?;
    if !output.status.success() {
        bail!("{command:?} failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// What a program says, or nothing if it cannot be run.
pub fn output_of(program: &str, arguments: &[&str]) -> String {
    output(Command::new(program).args(arguments)).unwrap_or_default().trim().to_owned()
}

/// The first line of what a program says about its version.
pub fn version(program: &str) -> String {
    output_of(program, &["--version"]).lines().next().unwrap_or_default().to_owned()
}
