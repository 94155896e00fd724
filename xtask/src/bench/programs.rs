//! The programs of `benches/speed`, built for release, and the server that all clients talk to.

use std::{path::PathBuf, process::Command};

use anyhow::{Context, Result, bail};

use super::server::Server;
use crate::{command, workspace::root};

pub struct Programs {
    folder: PathBuf,
    /// It runs until this is dropped.
    _server: Server,
    pub base_url: String,
}

impl Programs {
    pub fn start() -> Result<Self> {
        command::cargo(&["build", "--quiet", "--release", "--package", "speed"])?;
        let folder = root().join("target/release");
        let mut server = Server::start(&mut Command::new(folder.join("serve")))?;
        let base_url = server.line()?.context("the server did not start")?;
        Ok(Self { folder, _server: server, base_url })
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
