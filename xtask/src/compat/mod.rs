//! What a change of the document means for those who use it, Rust users and senders of JSON apart.

#[cfg(test)]
mod edits;
mod release;
mod rules;

use std::{fmt, fs, process::Command};

use anyhow::{Context, Result, anyhow, bail};
use business_data_connector_document::contract::Contract;

use crate::{artefacts::DOCUMENT, root};

/// How much a change asks of somebody, least first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Nothing.
    Patch,
    /// Nothing, and there is something new to use.
    Minor,
    /// What was right before can be wrong after.
    Breaking,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Patch => "patch",
            Self::Minor => "minor",
            Self::Breaking => "breaking",
        })
    }
}

/// One difference between two contracts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Where and what, as a sentence.
    pub sentence: String,
    pub rust: Verdict,
    pub senders: Verdict,
}

/// Compares with the document at `against`, or at the merge base with the main branch.
pub fn run(against: Option<&str>) -> Result<()> {
    if !under_git() {
        println!("left out: there is no git history to compare with");
        return Ok(());
    }
    let base = match against {
        Some(reference) => git(&["rev-parse", "--verify", "--quiet", &format!("{reference}^{{commit}}")])
            .with_context(|| format!("{reference} is not a commit here"))?,
        None => merge_base()?,
    };
    let Ok(before) = git(&["show", &format!("{base}:{DOCUMENT}")]) else {
        println!("{base} has no {DOCUMENT}: there is nothing to compare with");
        return Ok(());
    };
    let after = fs::read_to_string(root().join(DOCUMENT)).with_context(|| format!("cannot read {DOCUMENT}"))?;
    let changes = rules::changes(&contract(&before)?, &contract(&after)?);
    for Change { sentence, rust, senders } in &changes {
        println!("{sentence} (Rust users: {rust}, senders of JSON: {senders})");
    }
    let worst = |of: fn(&Change) -> Verdict| changes.iter().map(of).max().unwrap_or(Verdict::Patch);
    let (rust, senders) = (worst(|change| change.rust), worst(|change| change.senders));
    println!("Rust users: {rust}\nsenders of JSON: {senders}");
    if rust.max(senders) < Verdict::Breaking {
        return Ok(());
    }
    let missing = release::missing(&base)?;
    if missing.is_empty() {
        return Ok(());
    }
    bail!("this breaks somebody, and {}", missing.join(", and "))
}

fn contract(text: &str) -> Result<Contract> {
    Contract::parse(text).map_err(|faults| anyhow!("{DOCUMENT}: {faults}"))
}

/// Where this branch left the main branch; the commit itself on the main branch.
fn merge_base() -> Result<String> {
    let found = ["origin/main", "main"].iter().map(|main| git(&["merge-base", "HEAD", main])).find(Result::is_ok);
    let missing = "the main branch is not here to compare with: fetch it with its history, or say `--against REF`";
    found.unwrap_or_else(|| git(&["rev-parse", "HEAD"]).and(Err(anyhow!("no merge base")))).context(missing)
}

/// Whether this is a checkout; what git then says counts.
pub fn under_git() -> bool {
    root().canonicalize().is_ok_and(|root| root.ancestors().any(|folder| folder.join(".git").exists()))
}

/// What git prints, without the last line end.
pub fn git(arguments: &[&str]) -> Result<String> {
    let output = Command::new("git").args(arguments).current_dir(root()).output().context("git is not there")?;
    if !output.status.success() {
        bail!("git {}: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8(output.stdout)?.trim_end_matches('\n').to_owned())
}
