//! Runs git in the workspace.

use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::workspace::root;

/// Whether the workspace is a git checkout.
pub fn is_checkout() -> bool {
    root().canonicalize().is_ok_and(|root| root.ancestors().any(|folder| folder.join(".git").exists()))
}

/// The output of a git command, without the final line ending.
pub fn git(arguments: &[&str]) -> Result<String> {
    let output = Command::new("git").args(arguments).current_dir(root()).output().context("cannot run git")?;
    if !output.status.success() {
        bail!("git {}: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8(output.stdout)?.trim_end_matches('\n').to_owned())
}
