//! `check`: reports generated files and snapshots that are not up to date.

use std::{fs, path::Path};

use anyhow::{Result, bail};

use crate::{
    artefacts::{self, Artefacts, FOLDERS},
    git, versions,
    workspace::{DOCUMENT, read, root},
};

/// The folder of the snapshots.
const SNAPSHOTS: &str = "tests/snapshots";

/// Compares the generated files with the document, and the snapshots with their tests.
pub fn run() -> Result<()> {
    let artefacts = artefacts::make()?;
    let mut findings = stale(&artefacts);
    for path in artefacts::orphans(&artefacts)? {
        findings.push(format!(
            "{path}: no longer corresponds to anything in the document; run `cargo xtask regen`, which removes it"
        ));
    }
    findings.extend(untracked()?);
    snapshots(&mut findings)?;
    findings.extend(versions::findings()?);
    if findings.is_empty() {
        println!("{} generated files match {DOCUMENT}", artefacts.len());
        return Ok(());
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

/// Generated files and snapshots that git does not track, and a commit would therefore lack. None outside of a
/// checkout.
fn untracked() -> Result<Vec<String>> {
    if !git::is_checkout() {
        return Ok(Vec::new());
    }
    let mut arguments = vec!["ls-files", "--others", "--exclude-standard", "--", SNAPSHOTS];
    arguments.extend(FOLDERS);
    let files = git::git(&arguments)?;
    Ok(files.lines().map(|path| format!("{path}: is not tracked; run `git add {path}`")).collect())
}

/// Snapshots without a test that uses them, and snapshots that have not been reviewed.
fn snapshots(findings: &mut Vec<String>) -> Result<()> {
    let Ok(entries) = fs::read_dir(root().join(SNAPSHOTS)) else { return Ok(()) };
    let mut names = Vec::new();
    for entry in entries {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    for name in names {
        let path = format!("{SNAPSHOTS}/{name}");
        if name.ends_with(".snap.new") {
            findings.push(format!("{path}: has not been reviewed; run `cargo insta review`"));
        } else if !is_used(&name) {
            findings.push(format!("{path}: no test uses it; run `git rm {path}`"));
        }
    }
    Ok(())
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
