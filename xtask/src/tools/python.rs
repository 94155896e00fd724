//! Tools from PyPI, each in an environment of its own below `target/`.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail};

use crate::{
    command::{run, succeeds},
    workspace::{read, root},
};

/// The versions of the packages that `interop` uses, dependencies included.
const VERSIONS: &str = "tests/interop/python/requirements.txt";

/// Arguments of pip that select those versions.
pub const AS_INTEROP: [&str; 2] = ["--constraint", VERSIONS];

/// Installs packages, by name and version or from files, into a new environment.
pub fn install(environment: &Path, packages: &[&str]) -> Result<()> {
    if !succeeds("python3", &["-m", "venv", "--help"]) {
        bail!("it requires Python with venv");
    }
    run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(environment))?;
    let install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    run(Command::new(environment.join("bin/python")).args(install).args(packages))
}

/// A program of a package, such as `wheel==0.48.0`, which is installed unless it is there.
pub fn program(package: &str, program: &str, arguments: &[&str]) -> Result<PathBuf> {
    // One environment per version, since an existing one may contain another version.
    let environment = root().join("target").join(package.replace("==", "-"));
    let path = environment.join("bin").join(program);
    if !path.exists() {
        install(&environment, &[&[package], arguments].concat())?;
    }
    Ok(path)
}

/// A package with the version that `interop` uses, such as `jsonschema==4.26.0`.
pub fn pinned(package: &str) -> Result<String> {
    let text = read(VERSIONS)?;
    let line = text.lines().find(|line| line.strip_prefix(package).is_some_and(|rest| rest.starts_with("==")));
    Ok(line.with_context(|| format!("{VERSIONS} has no {package}"))?.to_owned())
}
