//! Runs other programs, and leaves out what is not installed.

use std::{
    env,
    ffi::OsStr,
    fmt::Display,
    process::{Command, Stdio},
    sync::{Mutex, PoisonError},
};

use anyhow::{Context, Result, bail};

use crate::workspace::root;

/// Runs a command in the root of the workspace; an error if it fails.
pub fn run(command: &mut Command) -> Result<()> {
    let status = command.current_dir(root()).status().with_context(|| format!("cannot run {command:?}"))?;
    if !status.success() {
        bail!("{command:?} failed with {status}");
    }
    Ok(())
}

/// Runs cargo in the root of the workspace; an error if it fails.
pub fn cargo(arguments: &[&str]) -> Result<()> {
    run(Command::new(env!("CARGO")).args(arguments))
}

/// Whether a command runs successfully, without showing its output.
pub fn succeeds(program: &str, arguments: &[impl AsRef<OsStr>]) -> bool {
    let null = Stdio::null;
    let status = Command::new(program).args(arguments).stdin(null()).stdout(null()).stderr(null()).status();
    status.is_ok_and(|status| status.success())
}

/// Reports what is left out and why. An error if `BDC_COMPLETE` is set.
pub fn leave_out(what: impl Display) -> Result<()> {
    if must_be_complete() {
        bail!("BDC_COMPLETE is set, but this would be left out: {what}");
    }
    tolerate_leaving_out(what);
    Ok(())
}

/// Reports what is left out and why, for the few things that may be missing even if `BDC_COMPLETE` is set.
pub fn tolerate_leaving_out(what: impl Display) {
    let line = format!("left out: {what}");
    println!("{line}");
    LEFT_OUT.lock().unwrap_or_else(PoisonError::into_inner).push(line);
}

/// The reports of what was left out so far.
pub fn left_out() -> Vec<String> {
    LEFT_OUT.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

static LEFT_OUT: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Whether `BDC_COMPLETE` is set, so that nothing may be left out.
pub fn must_be_complete() -> bool {
    env::var_os("BDC_COMPLETE").is_some()
}
