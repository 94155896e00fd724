//! What a measurement prints.

use std::{
    fs,
    time::{Duration, Instant},
};

use anyhow::{Context, Result};
use cpu_time::ProcessTime;
use serde::Serialize;

#[derive(Serialize)]
pub struct Figures {
    /// To the last answer.
    seconds: f64,
    /// Of this process, to the last callback.
    cpu_seconds: f64,
    /// The most memory that this process had, in bytes.
    peak: u64,
}

/// What is measured begins.
pub struct Begun {
    time: Instant,
    cpu: ProcessTime,
}

impl Begun {
    pub fn now() -> Self {
        Self { time: Instant::now(), cpu: ProcessTime::now() }
    }

    pub fn elapsed(&self) -> Duration {
        self.time.elapsed()
    }

    /// What is measured ends; its last answer came after this time.
    pub fn figures(&self, answered: Duration) -> Result<Figures> {
        let cpu_seconds = self.cpu.elapsed().as_secs_f64();
        Ok(Figures { seconds: answered.as_secs_f64(), cpu_seconds, peak: peak()? })
    }
}

/// The peak memory of this process, as Linux counts it.
fn peak() -> Result<u64> {
    let status = fs::read_to_string("/proc/self/status").context("peak memory is known on Linux only")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).context("there is no VmHWM")?;
    let kibibytes: u64 = line.trim().trim_end_matches("kB").trim().parse()?;
    Ok(kibibytes * 1024)
}
