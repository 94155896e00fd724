use std::{fs, path::Path};

use anyhow::{Result, bail};

use crate::{
    artefacts::{self, Artefacts, FOLDERS},
    compat::{git, under_git},
    root,
};

/// The folder of the snapshots.
const SNAPSHOTS: &str = "tests/snapshots";

/// Holds every file that is made from the document against it, and the snapshots against their tests.
pub fn run() -> Result<()> {
    let artefacts = artefacts::make()?;
    let mut findings = stale(&artefacts);
    for path in artefacts::orphans(&artefacts)? {
        findings.push(format!("{path}: belongs to nothing in the document; run `cargo xtask regen`, which removes it"));
    }
    findings.extend(untracked()?);
    snapshots(&mut findings)?;
    if findings.is_empty() {
        println!("{} files are what {} says", artefacts.len(), artefacts::DOCUMENT);
        return Ok(());
    }
    bail!("{}", findings.join("\n"))
}

fn stale(artefacts: &Artefacts) -> Vec<String> {
    let differs = |(path, text): (&String, &String)| match artefacts::read(path) {
        Ok(present) if present == *text => None,
        Ok(present) => {
            let same = present.lines().zip(text.lines()).take_while(|(present, text)| present == text).count();
            Some(format!("{path}:{}: is not what the document says; run `cargo xtask regen`", same + 1))
        }
        Err(_) if !root().join(path).exists() => Some(format!("{path}: is missing; run `cargo xtask regen`")),
        Err(error) => Some(format!("{error:#}; run `cargo xtask regen`")),
    };
    artefacts.iter().filter_map(differs).collect()
}

/// Made or accepted, and not told to git: it would be missing from the commit. Nothing to say where there is no git.
fn untracked() -> Result<Vec<String>> {
    if !under_git() {
        return Ok(Vec::new());
    }
    let mut arguments = vec!["ls-files", "--others", "--exclude-standard", "--", SNAPSHOTS];
    arguments.extend(FOLDERS);
    let files = git(&arguments)?;
    Ok(files.lines().map(|path| format!("{path}: is not tracked; run `git add {path}`")).collect())
}

/// A snapshot belongs to the test that names it, and none waits for a reader.
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
            findings.push(format!("{path}: waits for somebody to read it; run `cargo insta review`"));
        } else if !belongs(&name) {
            findings.push(format!("{path}: no test names it; run `git rm {path}`"));
        }
    }
    Ok(())
}

/// `contract__lines.snap` belongs to a test in `tests/contract.rs` that says `"lines"`, or is a function of that name.
fn belongs(snapshot: &str) -> bool {
    let Some((test, name)) = snapshot.strip_suffix(".snap").and_then(|stem| stem.split_once("__")) else {
        return false;
    };
    let source = fs::read_to_string(root().join(Path::new("tests").join(format!("{test}.rs"))));
    let own = name.rsplit("__").next().unwrap_or(name);
    source.is_ok_and(|source| source.contains(&format!("\"{own}\"")) || source.contains(&format!("fn {own}(")))
}
