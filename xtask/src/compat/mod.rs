//! `compat`: what a change to the document means, for Rust users, for senders of JSON and for receivers of callbacks.

#[cfg(test)]
mod edits;
#[cfg(test)]
mod received_edits;
mod receivers;
mod release;
mod rules;
mod verdict;

use anyhow::{Context, Result, anyhow, bail};
use business_data_connector_document::contract::Contract;

use crate::{
    command::tolerate_leaving_out,
    git::{git, is_checkout},
    workspace::{DOCUMENT, read},
};
use verdict::{Change, Verdict};

/// Compares the document with that at `against`, or at the merge base with the main branch.
pub fn run(against: Option<&str>) -> Result<()> {
    if !is_checkout() {
        tolerate_leaving_out("the comparison, since this is not a git checkout");
        return Ok(());
    }
    let base = match against {
        Some(reference) => git(&["rev-parse", "--verify", "--quiet", &format!("{reference}^{{commit}}")])
            .with_context(|| format!("there is no commit `{reference}`"))?,
        None => merge_base()?,
    };
    let Ok(before) = git(&["show", &format!("{base}:{DOCUMENT}")]) else {
        println!("nothing to compare: {base} has no {DOCUMENT}");
        return Ok(());
    };
    let after = read(DOCUMENT)?;
    let changes = rules::changes(&contract(&before)?, &contract(&after)?);
    for Change { sentence, rust, senders, receivers } in &changes {
        println!("{sentence} (Rust users: {rust}, senders of JSON: {senders}, receivers of callbacks: {receivers})");
    }
    let worst = |of: fn(&Change) -> Verdict| changes.iter().map(of).max().unwrap_or(Verdict::Patch);
    let verdicts = [worst(|change| change.rust), worst(|change| change.senders), worst(|change| change.receivers)];
    let [rust, senders, receivers] = verdicts;
    println!("Rust users: {rust}\nsenders of JSON: {senders}\nreceivers of callbacks: {receivers}");
    if verdicts.into_iter().all(|verdict| verdict < Verdict::Breaking) {
        return Ok(());
    }
    let missing = release::missing(&base)?;
    if missing.is_empty() {
        return Ok(());
    }
    bail!("this is a breaking change, but {}", missing.join(", and "))
}

fn contract(text: &str) -> Result<Contract> {
    Contract::parse(text).map_err(|violations| anyhow!("{DOCUMENT}: {violations}"))
}

/// The merge base with the main branch; on the main branch, the current commit.
fn merge_base() -> Result<String> {
    let found = ["origin/main", "main"].iter().map(|main| git(&["merge-base", "HEAD", main])).find(Result::is_ok);
    let missing = "there is no main branch to compare with; fetch it with its history, or pass `--against REF`";
    found.unwrap_or_else(|| git(&["rev-parse", "HEAD"]).and(Err(anyhow!("no merge base")))).context(missing)
}
