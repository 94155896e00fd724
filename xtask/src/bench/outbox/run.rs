//! One run, with a sandbox and files of its own.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;
use tempfile::TempDir;

use super::process::{command, printed};
use crate::bench::server::Server;

/// What a program of `benches/outbox` measured in its process.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub struct Figures {
    /// To the last answer.
    pub seconds: f64,
    /// To the last callback.
    pub cpu_seconds: f64,
    /// The most memory that the process had, in bytes.
    pub peak: u64,
}

pub struct Run {
    folder: TempDir,
    /// It runs until this is dropped.
    _sandbox: Server,
    url: String,
    uids: String,
}

impl Run {
    /// Starts a sandbox whose replies to a batch take some milliseconds, with a few businesses.
    pub fn start(latency: u64) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let mut sandbox = Server::start(&mut command(&["serve", "--latency", &latency.to_string()]))?;
        let url = sandbox.line()?.context("the sandbox did not start")?;
        let added = printed(&["businesses", "--sandbox", &url, "--folder", path(folder.path())?])?;
        Ok(Self { folder, _sandbox: sandbox, url, uids: added.lines().collect::<Vec<_>>().join(",") })
    }

    /// Adds records to an outbox: in this PostgreSQL database, or else in a file.
    pub fn enqueue(&self, records: u64, postgres: Option<&str>) -> Result<Figures> {
        let records = records.to_string();
        let arguments = ["enqueue", "--records", &records, "--uids", &self.uids, "--folder", path(self.folder.path())?];
        figures(&printed(&with_store(&arguments, postgres))?)
    }

    /// Sends what was added.
    pub fn send(&self, postgres: Option<&str>) -> Result<Figures> {
        let arguments = ["send", "--sandbox", &self.url, "--folder", path(self.folder.path())?];
        figures(&printed(&with_store(&arguments, postgres))?)
    }

    /// Sends as many records without an outbox.
    pub fn bare(&self, records: u64) -> Result<Figures> {
        let (records, folder) = (records.to_string(), path(self.folder.path())?);
        let arguments =
            ["bare", "--records", &records, "--uids", &self.uids, "--sandbox", &self.url, "--folder", folder];
        figures(&printed(&arguments)?)
    }
}

fn with_store<'a>(arguments: &[&'a str], postgres: Option<&'a str>) -> Vec<&'a str> {
    let mut arguments = arguments.to_vec();
    arguments.extend(postgres.iter().flat_map(|address| ["--postgres", *address]));
    arguments
}

fn path(path: &Path) -> Result<&str> {
    path.to_str().context("the folder for temporary files is not UTF-8")
}

fn figures(line: &str) -> Result<Figures> {
    let figures: Figures = serde_json::from_str(line).with_context(|| format!("`outbox-speed` wrote {line:?}"))?;
    ensure!(figures.seconds > 0.0 && figures.peak > 0, "`outbox-speed` measured nothing: {line}");
    Ok(figures)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_and_those_of_nothing_are_refused() {
        let read = figures("{\"seconds\":1.5,\"cpu_seconds\":0.25,\"peak\":4096}\n").unwrap();
        assert_eq!(read, Figures { seconds: 1.5, cpu_seconds: 0.25, peak: 4096 });
        assert!(figures("{\"seconds\":0.0,\"cpu_seconds\":0.25,\"peak\":4096}\n").is_err());
        assert!(figures("").is_err());
    }

    #[test]
    fn a_database_is_passed_on() {
        assert_eq!(with_store(&["send"], None), ["send"]);
        assert_eq!(with_store(&["send"], Some("host=/tmp")), ["send", "--postgres", "host=/tmp"]);
    }
}
