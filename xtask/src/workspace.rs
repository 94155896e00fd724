//! The workspace: its root, its files, and the metadata that cargo has about it.

use std::{env, fs, path::PathBuf, process::Command};

use anyhow::{Context, Result, bail};
use serde_json::Value;

/// The document that everything is generated from.
pub const DOCUMENT: &str = "openapi/connector.yaml";

/// The root of the workspace: the nearest parent folder that contains the document.
pub fn root() -> PathBuf {
    let here = env::current_dir().unwrap_or_default();
    let found = here.ancestors().find(|folder| folder.join(DOCUMENT).exists()).map(PathBuf::from);
    found.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(".."))
}

/// Reads a file with `\n` as the line ending, even if git checked it out with another.
pub fn read(path: &str) -> Result<String> {
    let text = fs::read_to_string(root().join(path)).with_context(|| format!("cannot read {path}"))?;
    Ok(text.replace("\r\n", "\n"))
}

/// A target that cargo builds, such as a library, a binary, a test or a build script.
pub struct Target {
    pub package: String,
    /// `lib`, `bin`, `example`, `test`, `bench` or `custom-build`.
    pub kind: String,
    pub name: String,
    /// The source file of the crate root.
    pub root: PathBuf,
}

/// The packages of the workspace, as `cargo metadata` prints them.
pub fn packages() -> Result<Vec<Value>> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--no-deps", "--offline", "--format-version", "1"]).current_dir(root());
    let output = cargo.output().context("cannot run cargo metadata")?;
    if !output.status.success() {
        bail!("cargo metadata failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    let mut metadata: Value = serde_json::from_slice(&output.stdout).context("cargo metadata is not JSON")?;
    match metadata["packages"].take() {
        Value::Array(packages) => Ok(packages),
        _ => bail!("cargo metadata lists no packages"),
    }
}

/// Every target of the workspace.
pub fn targets() -> Result<Vec<Target>> {
    let mut targets = Vec::new();
    for package in packages()? {
        for target in package["targets"].as_array().into_iter().flatten() {
            let text = |value: &Value| value.as_str().map(str::to_owned).context("cargo metadata lacks a field");
            targets.push(Target {
                package: text(&package["name"])?,
                kind: text(&target["kind"][0])?,
                name: text(&target["name"])?,
                root: text(&target["src_path"])?.into(),
            });
        }
    }
    Ok(targets)
}
