//! `check`: reports generated files and snapshots that are not up to date.

use std::{fs, path::Path};

use anyhow::{Result, bail};

use crate::{
    artefacts::{self, Artefacts},
    command::tolerate_leaving_out,
    git::{self, Untracked},
    versions,
    workspace::{DOCUMENT, read, root},
};

/// The folder of the snapshots.
const SNAPSHOTS: &str = "tests/snapshots";

/// The ending of a snapshot that has not been reviewed, which is never committed.
const PENDING: &str = ".snap.new";

/// What writes the generated files.
const REGEN: &str = "cargo xtask regen";

/// What follows a change of the document.
pub const NEXT: &str = "`cargo test`, then `cargo insta review` for the snapshots that changed";

/// Compares the generated files with the document, and the snapshots with their tests.
pub fn run() -> Result<()> {
    eprintln!("comparing the files that {DOCUMENT} generates, and the snapshots");
    let artefacts = artefacts::make()?;
    let mut findings = stale(&artefacts);
    for path in artefacts::orphans(&artefacts)? {
        findings.push(format!(
            "{path}: no longer corresponds to anything in the document; run `cargo xtask regen`, which removes it"
        ));
    }
    findings.extend(untracked(&artefacts)?);
    snapshots(&mut findings)?;
    findings.extend(versions::findings()?);
    if findings.is_empty() {
        println!("{} generated files match {DOCUMENT}", artefacts.len());
        return Ok(());
    }
    if findings.iter().any(|finding| finding.contains(REGEN)) {
        findings.push(format!("next: `{REGEN}`, then {NEXT}"));
    }
    bail!("{}", findings.join("\n"))
}

fn stale(artefacts: &Artefacts) -> Vec<String> {
    let differs = |(path, text): (&String, &String)| match read(path) {
        Ok(present) if present == *text => None,
        Ok(present) => {
            let same = present.lines().zip(text.lines()).take_while(|(present, text)| present == text).count();
            Some(format!("{path}:{}: differs from what the document generates; run `cargo xtask regen`", same + 1))
        }
        Err(_) if !root().join(path).exists() => Some(format!("{path}: is missing; run `cargo xtask regen`")),
        Err(error) => Some(format!("{error:#}; run `cargo xtask regen`")),
    };
    artefacts.iter().filter_map(differs).collect()
}

/// Generated files and snapshots that git does not track, and a commit would therefore lack.
fn untracked(artefacts: &Artefacts) -> Result<Vec<String>> {
    if let Some(reason) = git::cannot_answer()? {
        tolerate_leaving_out(format!("whether git tracks the generated files, since {reason}"));
        return Ok(Vec::new());
    }
    let mut paths: Vec<_> = artefacts.keys().cloned().collect();
    let reviewed = snapshot_names()?.into_iter().filter(|name| !name.ends_with(PENDING));
    paths.extend(reviewed.map(|name| format!("{SNAPSHOTS}/{name}")));
    let present: Vec<_> = paths.iter().map(String::as_str).filter(|path| root().join(path).exists()).collect();
    let finding = |Untracked { path, ignored_by }| match ignored_by {
        None => format!("{path}: is not tracked; run `git add {path}`"),
        Some(pattern) => {
            format!("{path}: is ignored by git ({pattern}); remove the pattern, then run `git add {path}`")
        }
    };
    Ok(git::untracked(&present)?.into_iter().map(finding).collect())
}

/// Snapshots without a test that uses them, and snapshots that have not been reviewed.
fn snapshots(findings: &mut Vec<String>) -> Result<()> {
    for name in snapshot_names()? {
        let path = format!("{SNAPSHOTS}/{name}");
        if name.ends_with(PENDING) {
            findings.push(format!("{path}: has not been reviewed; run `cargo insta review`"));
        } else if !is_used(&name) {
            findings.push(format!("{path}: no test uses it; run `git rm {path}`"));
        }
    }
    Ok(())
}

/// The names of the files in the folder of the snapshots, sorted.
fn snapshot_names() -> Result<Vec<String>> {
    let Ok(entries) = fs::read_dir(root().join(SNAPSHOTS)) else { return Ok(Vec::new()) };
    let mut names = Vec::new();
    for entry in entries {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

/// Whether `tests/contract.rs` contains the string `"lines"` or a function of that name, for `contract__lines.snap`.
fn is_used(snapshot: &str) -> bool {
    let Some((test, name)) = snapshot.strip_suffix(".snap").and_then(|stem| stem.split_once("__")) else {
        return false;
    };
    let source = fs::read_to_string(root().join(Path::new("tests").join(format!("{test}.rs"))));
    let own = name.rsplit("__").next().unwrap_or(name);
    source.is_ok_and(|source| source.contains(&format!("\"{own}\"")) || source.contains(&format!("fn {own}(")))
}
