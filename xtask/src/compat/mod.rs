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
    artefacts,
    command::tolerate_leaving_out,
    git::{git, is_checkout},
    workspace::{DOCUMENT, read},
};
use verdict::Change;
pub use verdict::Verdict;

/// Compares the document with that at `against`, or at the merge base with the main branch, if both pass `check`.
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
    // What `check` refuses has no meaning that could be compared.
    artefacts::document()?;
    if let Err(violations) = artefacts::parsed(&before) {
        let commit = base.get(..12).unwrap_or(&base);
        tolerate_leaving_out(format!("the comparison with {commit}, whose {DOCUMENT} does not pass `check`"));
        println!("{}", violations.in_file(&format!("{commit}:{DOCUMENT}")));
        return Ok(());
    }
    let changes = rules::changes(&contract(&before)?, &contract(&after)?);
    let verdicts = worst(&changes);
    for Change { sentence, rust, senders, receivers } in &changes {
        println!("{sentence} (Rust users: {rust}, senders of JSON: {senders}, receivers of callbacks: {receivers})");
    }
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

/// What the step from one document to another means for Rust users, senders of JSON, and receivers of callbacks.
pub fn verdicts(before: &str, after: &str) -> Result<[Verdict; 3]> {
    Ok(worst(&rules::changes(&contract(before)?, &contract(after)?)))
}

fn worst(changes: &[Change]) -> [Verdict; 3] {
    let of: [fn(&Change) -> Verdict; 3] = [|change| change.rust, |change| change.senders, |change| change.receivers];
    of.map(|of| changes.iter().map(of).max().unwrap_or(Verdict::Patch))
}

fn contract(text: &str) -> Result<Contract> {
    Contract::parse(text).map_err(|violations| anyhow!("{}", violations.in_file(DOCUMENT)))
}

/// The merge base with the main branch; on the main branch, the current commit.
fn merge_base() -> Result<String> {
    let found = ["origin/main", "main"].iter().map(|main| git(&["merge-base", "HEAD", main])).find(Result::is_ok);
    let missing = "there is no main branch to compare with; fetch it with its history, or pass `--against REF`";
    found.unwrap_or_else(|| git(&["rev-parse", "HEAD"]).and(Err(anyhow!("no merge base")))).context(missing)
}
