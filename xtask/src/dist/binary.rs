//! The sandbox as a program that needs nothing but the kernel.

use std::{
    env::{consts::ARCH, var_os},
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, bail, ensure};
use clap::ValueEnum;

use crate::{
    archive::File,
    command::{run, succeeds},
    workspace::root,
};

pub const PROGRAM: &str = "bdc-sandbox";
pub const PACKAGE: &str = "business-data-connector-sandbox";

/// Where the published program is built, so that other builds do not touch it.
const FOLDER: &str = "target/dist/build";

/// Where it is built to be tried: what other builds have compiled for build scripts and macros is there already.
const QUICK_FOLDER: &str = "target";

/// The compiler for musl's C headers, of Debian's `musl-tools`.
const MUSL_C: &str = "musl-gcc";

pub struct Binary {
    pub file: File,
    pub target: String,
}

/// Why this machine cannot build it, if so.
pub fn cannot_build() -> Option<String> {
    let can = cfg!(target_os = "linux") && matches!(ARCH, "x86_64" | "aarch64");
    (!can).then(|| "the static binary is built on Linux, on x86-64 or ARM64".to_owned())
}

/// The C library that the program contains.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub enum Libc {
    Musl,
    Glibc,
}

/// Builds it with this C library, or else with musl, or with glibc where musl is not installed.
/// `quick` leaves optimisations out.
pub fn build(libc: Option<Libc>, quick: bool) -> Result<Binary> {
    if let Some(reason) = cannot_build() {
        bail!("{reason}");
    }
    let musl = format!("{ARCH}-unknown-linux-musl");
    let with_musl = match libc {
        Some(libc) => libc == Libc::Musl,
        None => has_musl(&musl)?,
    };
    let target = if with_musl { musl } else { format!("{ARCH}-unknown-linux-gnu") };
    println!("building {PROGRAM} for {target}; this takes minutes the first time");
    let mut cargo = Command::new(env!("CARGO"));
    let (profile, folder, name) = if quick { ("dev", QUICK_FOLDER, "debug") } else { ("release", FOLDER, "release") };
    cargo.args(["build", "--quiet", "--locked", "--profile", profile, "--package", PACKAGE, "--bin", PROGRAM]);
    cargo.args(["--target", &target, "--target-dir", folder]);
    cargo.arg("--config").arg(format!("profile.{profile}.strip='symbols'"));
    // They would otherwise be in the messages of panics.
    let home = var_os("CARGO_HOME").map(PathBuf::from).or_else(|| Some(PathBuf::from(var_os("HOME")?).join(".cargo")));
    let folders = [home.context("neither CARGO_HOME nor HOME is set")?, root().canonicalize()?];
    let mut flags = vec!["-Ctarget-feature=+crt-static".to_owned()];
    for (from, instead) in folders.iter().zip(["cargo", PACKAGE]) {
        flags.push(format!("--remap-path-prefix={}=/{instead}", from.display()));
    }
    if !with_musl {
        // getrandom looks for the function in a shared library, and otherwise needs /dev/urandom.
        flags.extend(["--cfg".to_owned(), "getrandom_backend=\"linux_getrandom\"".to_owned()]);
    }
    // This variable separates flags with this character, so that a folder may contain a space.
    cargo.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"));
    if with_musl {
        cargo.env(format!("CC_{}", target.replace('-', "_")), MUSL_C);
    }
    run(&mut cargo)?;
    let path = root().join(folder).join(&target).join(name).join(PROGRAM);
    must_be_static(&path)?;
    let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(Binary { file: File::executable(bytes), target })
}

/// Whether both the standard library and a C compiler for musl are installed.
fn has_musl(target: &str) -> Result<bool> {
    let rustc = Command::new("rustc").args(["--print", "target-libdir", "--target", target]).output()?;
    let library = String::from_utf8(rustc.stdout)?;
    let installed = rustc.status.success() && Path::new(library.trim_end()).is_dir();
    if !installed {
        println!("glibc instead of musl, which is not installed (`rustup target add {target}`)");
    } else if !succeeds(MUSL_C, &["--version"]) {
        println!("glibc instead of musl, since `{MUSL_C}` is not installed (Debian: apt-get install musl-tools)");
        return Ok(false);
    }
    Ok(installed)
}

/// Fails for a program that loads a shared library.
fn must_be_static(path: &Path) -> Result<()> {
    let output = Command::new("ldd").arg(path).output().context("cannot run ldd")?;
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    // The first for one at a fixed address, the second for one at any address.
    let is_static = ["not a dynamic executable", "statically linked"].iter().any(|words| said.contains(words));
    ensure!(is_static, "{} is not static; ldd says: {said}", path.display());
    println!("ldd {PROGRAM}: {}", said.trim());
    Ok(())
}
