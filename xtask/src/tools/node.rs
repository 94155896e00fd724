//! Tools from npm with the versions that `interop` uses, dependencies included.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result};

use crate::{
    command::run,
    workspace::{read, root},
};

/// The folder with the manifest and its lock file.
pub const VERSIONS: &str = "tests/interop/typescript";

const LOCK: &str = "package-lock.json";

/// A program of one of the packages, which are installed unless they are there.
pub fn program(name: &str) -> Result<PathBuf> {
    let folder = root().join("target/node-tools");
    install(VERSIONS, &folder)?;
    Ok(folder.join("node_modules/.bin").join(name))
}

/// Installs the packages of a manifest and its lock file into a folder, unless they are there.
pub fn install(versions: &str, folder: &Path) -> Result<()> {
    let lock = read(&format!("{versions}/{LOCK}"))?;
    // Written last, so that an interrupted installation is started again.
    let installed = folder.join("installed.json");
    if fs::read_to_string(&installed).ok().as_ref() != Some(&lock) || !folder.join("node_modules").exists() {
        fs::create_dir_all(folder)?;
        fs::write(folder.join("package.json"), read(&format!("{versions}/package.json"))?)?;
        fs::write(folder.join(LOCK), &lock)?;
        let mut npm = Command::new("npm");
        npm.args(["ci", "--no-audit", "--no-fund", "--loglevel=error", "--prefix"]).arg(folder);
        run(&mut npm).context("cannot install tools with npm")?;
        fs::write(installed, lock)?;
    }
    Ok(())
}

/// A package with the version of the manifest, such as `ajv@8.20.0`.
pub fn pinned(package: &str) -> Result<String> {
    let manifest: serde_json::Value = serde_json::from_str(&read(&format!("{VERSIONS}/package.json"))?)?;
    let version = manifest["devDependencies"][package].as_str();
    Ok(format!("{package}@{}", version.with_context(|| format!("{VERSIONS}/package.json has no {package}"))?))
}
