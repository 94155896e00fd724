//! Packs the sandbox and `openapi/`, installs the packages into clean environments, and uses nothing else.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail, ensure};
use tempfile::TempDir;

use crate::{
    archive::SUMS,
    command::{leave_out, succeeds},
    dist::{self, FOLDER, OPENAPI, PROGRAM, SANDBOX},
    tools::{hadolint, node, python, redocly, sandbox::Sandbox},
    workspace::{read, root},
};

/// Checks the types that the wheel contains.
const MYPY: [&str; 2] = ["mypy==2.4.1", "types-jsonschema==4.26.0.20261006"];

/// Finds what other tools would misunderstand in an npm package.
const PUBLINT: &str = "publint@0.3.25";

pub fn run() -> Result<()> {
    if let Some(reason) = dist::cannot_build() {
        return leave_out(format!("the packages, since {reason}"));
    }
    if !succeeds("python3", &["-m", "venv", "--help"]) || !redocly::is_available() {
        return leave_out("the packages, since they require Python with venv, and Node.js");
    }
    // An optimised build would take minutes, and says nothing more about the packages.
    dist::run(&dist::Options { libc: None, quick: true })?;
    let trial = Trial(tempfile::tempdir()?);
    trial.archive()?;
    trial.python()?;
    trial.npm()
}

/// Outside of the repository, so that nothing in it is found by accident.
struct Trial(TempDir);

impl Trial {
    /// The archive is verified and unpacked, and the program in it runs where nothing else is.
    fn archive(&self) -> Result<()> {
        let folder = self.folder("archive")?;
        run_in(&packages(), Command::new("sha256sum").args(["--check", "--strict", "--quiet", SUMS]))?;
        let archive = package(|name| name.ends_with(".tar.gz"))?;
        run_in(&folder, Command::new("tar").args(["--extract", "--strip-components", "1", "--file"]).arg(archive))?;
        run_in(&folder, Command::new("sha256sum").args(["--check", "--strict", "--quiet", SUMS]))?;
        hadolint::lint(&folder.join("Containerfile"))?;
        let alone = self.folder("alone")?;
        fs::copy(folder.join(PROGRAM), alone.join(PROGRAM))?;
        let Some(mut chroot) = chroot() else {
            return leave_out("the sandbox in an empty root, since neither `chroot` nor `unshare` is permitted");
        };
        let sandbox = Sandbox::start_with(chroot.arg(&alone).arg(format!("/{PROGRAM}")))?;
        let body = r#"{"apikey":"demo-apikey","appid":"demo-appid"}"#;
        let request = ureq::post(format!("{}/api/verify/apikey", sandbox.url)).content_type("application/json");
        let status = request.send(body).context("the sandbox in an empty root does not answer")?.status();
        println!("the sandbox in an empty root answered {status}");
        Ok(())
    }

    fn python(&self) -> Result<()> {
        let folder = self.folder("python")?;
        let mut packages = vec![python::pinned("jsonschema")?];
        packages.extend(MYPY.map(str::to_owned));
        for name in [SANDBOX, OPENAPI] {
            let name = name.replace('-', "_");
            let wheel = package(|file| file.starts_with(&name) && file.ends_with(".whl"))?;
            packages.push(wheel.to_string_lossy().into_owned());
        }
        python::install(&folder, &packages.iter().map(String::as_str).collect::<Vec<_>>())?;
        let script = program(&folder, "use.py")?;
        let bin = folder.join("bin");
        run_in(&folder, Command::new(bin.join(PROGRAM)).arg("--version"))?;
        run_in(&folder, Command::new(bin.join("mypy")).args(["--strict", "--no-incremental"]).arg(&script))?;
        // Isolated, so that neither the working directory nor the environment adds modules.
        run_in(&folder, Command::new(bin.join("python")).arg("-I").arg(&script))
    }

    fn npm(&self) -> Result<()> {
        let folder = self.folder("npm")?;
        fs::write(folder.join("package.json"), r#"{ "private": true, "type": "module" }"#)?;
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-audit", "--no-fund", "--loglevel=error"]);
        npm.arg(package(|name| name.starts_with(SANDBOX) && name.ends_with(".tgz"))?);
        npm.arg(package(|name| name.starts_with(OPENAPI) && name.ends_with(".tgz"))?);
        for tool in ["ajv", "typescript", "@types/node"] {
            npm.arg(node::pinned(tool)?);
        }
        run_in(&folder, &mut npm)?;
        for name in [SANDBOX, OPENAPI] {
            run_in(&folder.join("node_modules").join(name), Command::new("npx").args(["--yes", PUBLINT]))?;
        }
        let script = program(&folder, "use.mts")?;
        run_in(&folder, Command::new("npx").args(["--no-install", PROGRAM, "--version"]))?;
        let compile = ["--no-install", "tsc", "--strict", "--target", "es2022", "--module", "nodenext"];
        run_in(&folder, Command::new("npx").args(compile).arg(&script))?;
        run_in(&folder, Command::new("node").arg(script.with_extension("mjs")))
    }

    fn folder(&self, name: &str) -> Result<PathBuf> {
        let folder = self.0.path().join(name);
        fs::create_dir(&folder)?;
        Ok(folder)
    }
}

/// Copies one of the programs that use the packages into the environment.
fn program(folder: &Path, name: &str) -> Result<PathBuf> {
    let program = folder.join(name);
    fs::write(&program, read(&format!("tests/dist/{name}"))?)?;
    Ok(program)
}

/// Runs a command outside of the repository.
fn run_in(folder: &Path, command: &mut Command) -> Result<()> {
    let status = command.current_dir(folder).status().with_context(|| format!("cannot run {command:?}"))?;
    ensure!(status.success(), "{command:?} failed with {status}");
    Ok(())
}

/// The command that runs a program in a folder as if that was everything, if this user may.
fn chroot() -> Option<Command> {
    if succeeds("chroot", &["/", "true"]) {
        return Some(Command::new("chroot"));
    }
    let mut unshare = Command::new("unshare");
    unshare.args(["--map-root-user", "chroot"]);
    succeeds("unshare", &["--map-root-user", "chroot", "/", "true"]).then_some(unshare)
}

fn packages() -> PathBuf {
    root().join(FOLDER)
}

/// The package with such a name.
fn package(is_it: impl Fn(&str) -> bool) -> Result<PathBuf> {
    for entry in fs::read_dir(packages())? {
        let entry = entry?;
        if is_it(&entry.file_name().to_string_lossy()) {
            return Ok(entry.path());
        }
    }
    bail!("`dist` has not made a package that is expected in {FOLDER}")
}
