//! Runs git in the workspace.

use std::{
    io::ErrorKind,
    process::{Command, Output},
};

use anyhow::{Context, Result, bail};

use crate::workspace::{DOCUMENT, root};

/// The output of a git command, without the final line ending.
pub fn git(arguments: &[&str]) -> Result<String> {
    let output = command(arguments).output().context("cannot run git")?;
    if !output.status.success() {
        bail!("git {}: {}", arguments.join(" "), stderr(&output));
    }
    Ok(String::from_utf8(output.stdout)?.trim_end_matches('\n').to_owned())
}

/// Whether the workspace is a git checkout.
pub fn is_checkout() -> bool {
    root().canonicalize().is_ok_and(|root| root.ancestors().any(|folder| folder.join(".git").exists()))
}

/// Why git cannot say which files a commit contains, or `None` if it can: git is not installed, or the workspace is not
/// a checkout, such as an unpacked archive, perhaps inside an unrelated repository.
pub fn cannot_answer() -> Result<Option<String>> {
    // The document is in every checkout.
    let output = match command(&["ls-files", "--error-unmatch", "--", DOCUMENT]).output() {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Some("git is not installed".to_owned())),
        output => output.context("cannot run git")?,
    };
    match output.status.code() {
        Some(0) => Ok(None),
        // What `--error-unmatch` promises for a file that is not tracked.
        Some(1) => Ok(Some(format!("git does not track {DOCUMENT}, so that this is not a checkout"))),
        _ if is_checkout() => bail!("git cannot list the files of this checkout: {}", stderr(&output)),
        _ => Ok(Some("this is not a git checkout".to_owned())),
    }
}

/// A file that a commit would lack.
pub struct Untracked {
    pub path: String,
    /// The pattern that makes git ignore it, such as `.gitignore:3:*.json`.
    pub ignored_by: Option<String>,
}

/// Those of the files that git does not track.
pub fn untracked(paths: &[&str]) -> Result<Vec<Untracked>> {
    // A path may contain characters that have a meaning in patterns.
    let tracked = git(&[&["--literal-pathspecs", "ls-files", "-z", "--"], paths].concat())?;
    let tracked: Vec<_> = tracked.split('\0').collect();
    let untracked = paths.iter().filter(|path| !tracked.contains(path));
    Ok(untracked.map(|path| Untracked { path: (*path).to_owned(), ignored_by: ignored_by(path) }).collect())
}

/// The pattern that makes git ignore a file that it does not track.
fn ignored_by(path: &str) -> Option<String> {
    // Alone, `--verbose` also succeeds for a pattern that begins with `!`, which un-ignores the file.
    git(&["check-ignore", "--quiet", "--", path]).ok()?;
    let line = git(&["check-ignore", "--verbose", "--", path]).ok()?;
    line.split('\t').next().map(str::to_owned)
}

fn command(arguments: &[&str]) -> Command {
    let mut git = Command::new("git");
    git.args(arguments).current_dir(root());
    git
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).trim().to_owned()
}
