//! The licences of the sandbox and of every crate that is compiled into it, as those licences require.
//!
//! Not by cargo-about, which takes minutes to build.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    process::Command,
};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::binary::PACKAGE;
use crate::{
    archive::Files,
    workspace::{read, root},
};

/// The licences of this repository.
const OWN: [&str; 2] = ["LICENSE-APACHE", "LICENSE-MIT"];

const THIRD_PARTY: &str = "THIRD-PARTY.txt";

/// How the names of files with licences and notices begin.
const NAMES: [&str; 6] = ["license", "licence", "copying", "copyright", "notice", "unlicense"];

/// Files with the licences, by their name in a package; as often as they are needed.
pub fn of(target: &str) -> Result<impl Fn() -> Result<Files> + use<>> {
    let third_party = third_party(target)?;
    Ok(move || {
        let mut files = Files::from([(THIRD_PARTY.to_owned(), third_party.clone().into())]);
        for name in OWN {
            files.insert(name.to_owned(), read(name)?.into());
        }
        Ok(files)
    })
}

/// Every text once, with the crates that it belongs to.
fn third_party(target: &str) -> Result<String> {
    let metadata = metadata(target)?;
    let used = compiled_in(&metadata)?;
    let mut crates = String::new();
    let mut texts = BTreeMap::<String, BTreeSet<String>>::new();
    for package in list(&metadata["packages"]) {
        // Those of the workspace have no source, and have the licences of this repository.
        if !used.contains(text(&package["id"])?) || package["source"].is_null() {
            continue;
        }
        let name = format!("{} {}", text(&package["name"])?, text(&package["version"])?);
        crates += &format!("{name}: {}\n", package["license"].as_str().unwrap_or("see its text below"));
        let manifest = Path::new(text(&package["manifest_path"])?);
        for text in texts_in(manifest.parent().context("a manifest is in no folder")?)? {
            texts.entry(text).or_default().insert(name.clone());
        }
    }
    let mut sections: Vec<_> = texts.into_iter().map(|(text, of)| (of, text)).collect();
    sections.sort();
    let mut third_party = format!(
        "bdc-sandbox contains these crates, whose sources are on crates.io, with the licences that each may be used\n\
         under, Rust's standard library (MIT OR Apache-2.0) and the C library of {target}. The texts that the crates\n\
         contain follow.\n\n{crates}"
    );
    for (of, text) in sections {
        let of = of.into_iter().collect::<Vec<_>>().join(", ");
        third_party += &format!("\n{}\n{of}\n\n{}\n", "-".repeat(80), text.trim());
    }
    Ok(third_party)
}

fn metadata(target: &str) -> Result<Value> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--locked", "--format-version", "1", "--filter-platform", target]).current_dir(root());
    let output = cargo.output().context("cannot run cargo metadata")?;
    if !output.status.success() {
        bail!("cargo metadata failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    serde_json::from_slice(&output.stdout).context("cargo metadata is not JSON")
}

/// The identifiers of the packages that end up in the program: without those of tests, build scripts and macros.
fn compiled_in(metadata: &Value) -> Result<BTreeSet<&str>> {
    let nodes = list(&metadata["resolve"]["nodes"]).map(|node| Ok((text(&node["id"])?, node)));
    let nodes = nodes.collect::<Result<BTreeMap<_, _>>>()?;
    let is_macro = |package: &&Value| list(&package["targets"]).any(|target| target["kind"][0] == "proc-macro");
    let macros: Vec<_> = list(&metadata["packages"]).filter(is_macro).map(|package| &package["id"]).collect();
    let sandbox = list(&metadata["packages"]).find(|package| package["name"] == PACKAGE);
    let mut open = vec![text(&sandbox.with_context(|| format!("cargo metadata does not list {PACKAGE}"))?["id"])?];
    let mut found = BTreeSet::new();
    while let Some(id) = open.pop() {
        if !found.insert(id) {
            continue;
        }
        let node = nodes.get(id).with_context(|| format!("cargo metadata does not resolve {id}"))?;
        for dependency in list(&node["deps"]) {
            let is_compiled_in = list(&dependency["dep_kinds"]).any(|kind| kind["kind"].is_null());
            if is_compiled_in && !macros.contains(&&dependency["pkg"]) {
                open.push(text(&dependency["pkg"])?);
            }
        }
    }
    Ok(found)
}

/// The licences and notices in the folder of a crate.
fn texts_in(folder: &Path) -> Result<Vec<String>> {
    let mut texts = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().to_lowercase();
        if entry.path().is_file() && NAMES.iter().any(|begin| name.starts_with(begin)) {
            let text = String::from_utf8_lossy(&fs::read(entry.path())?).replace("\r\n", "\n");
            texts.push(text);
        }
    }
    Ok(texts)
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value) -> Result<&str> {
    value.as_str().context("cargo metadata lacks a field")
}
