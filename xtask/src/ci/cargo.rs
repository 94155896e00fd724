//! Steps that run cargo.

use std::{
    env,
    io::{BufRead, BufReader},
    process::{Command, Stdio},
};

use anyhow::{Context, Result, bail};

use crate::{
    command::{cargo, run, succeeds, tolerate_leaving_out},
    workspace::{packages, root},
};

const LIBRARY: &str = "business-data-connector";
const OUTBOX: &str = "business-data-connector-outbox";

/// The features for workspace-wide checks: all but `native-tls`, which would replace the default.
const FEATURES: &str = "business-data-connector/schemars,business-data-connector/testing,\
    business-data-connector/sqlite,business-data-connector-outbox/postgres,\
    outbox-speed/store";

pub fn format() -> Result<()> {
    cargo(&["fmt", "--all", "--check"])
}

pub fn clippy() -> Result<()> {
    cargo(&["clippy", "--workspace", "--all-targets", "--features", FEATURES, "--", "-D", "warnings"])
}

pub fn docs() -> Result<()> {
    let arguments = ["doc", "--workspace", "--no-deps", "--features", FEATURES];
    run(Command::new(env!("CARGO")).args(arguments).env("RUSTDOCFLAGS", "-D warnings"))
}

/// Runs the tests, and returns the lines in which the test harness summarizes them.
pub fn tests() -> Result<Vec<String>> {
    let mut command = Command::new(env!("CARGO"));
    command.args(["test", "--workspace", "--features", FEATURES]).current_dir(root()).stdout(Stdio::piped());
    let mut child = command.spawn().context("cannot run cargo test")?;
    let output = child.stdout.take().context("the output of cargo test is not available")?;
    let mut summary = Vec::new();
    for line in BufReader::new(output).lines() {
        let line = line?;
        println!("{line}");
        if line.starts_with("test result:") {
            summary.push(line);
        }
    }
    let status = child.wait()?;
    if !status.success() {
        bail!("cargo test failed with {status}");
    }
    Ok(summary)
}

pub fn tests_without_tls() -> Result<()> {
    cargo(&["test", "--quiet", "--package", LIBRARY, "--no-default-features", "--test", "invalid_input"])
}

pub fn proof() -> Result<()> {
    cargo(&["test", "--quiet", "--package", "xtask", "--test", "proof", "--", "--ignored", "--test-threads", "1"])
}

/// Applications that depend on the library, in workspaces of their own, so that they have features of their own.
pub fn dependants() -> Result<()> {
    cargo(&[
        "test",
        "--quiet",
        "--package",
        LIBRARY,
        "--test",
        "dependants",
        "--",
        "--ignored",
        "--test-threads",
        "1",
    ])?;
    let manifest =
        ["--manifest-path", "tests/arbitrary-precision/Cargo.toml", "--target-dir", "target/arbitrary-precision"];
    cargo(&[&["test", "--quiet"][..], &manifest].concat())
}

pub fn features() -> Result<()> {
    let openssl = cfg!(not(target_os = "linux")) || succeeds("pkg-config", &["--exists", "openssl"]);
    if !openssl {
        tolerate_leaving_out("combinations with native-tls, since OpenSSL's development files are not installed");
    }
    let all = features_of_the_library()?;
    // None, each alone, each pair, and all: what breaks in other combinations was never seen without breaking in a
    // pair, and there would be hundreds.
    let tried = |combination: &u32| combination.count_ones() <= 2 || combination.count_ones() as usize == all.len();
    for combination in (0..1_u32 << all.len()).filter(tried) {
        let chosen = all.iter().enumerate().filter(|(bit, _)| combination >> bit & 1 == 1);
        let features = chosen.map(|(_, feature)| feature.as_str()).collect::<Vec<_>>().join(",");
        if openssl || !features.contains("native-tls") {
            println!("features: {}", if features.is_empty() { "none" } else { &features });
            cargo(&["check", "--quiet", "--package", LIBRARY, "--no-default-features", "--features", &features])?;
        }
    }
    for features in ["", "sqlite", "postgres", "postgres,metrics"] {
        println!("features of the outbox: {}", if features.is_empty() { "none" } else { features });
        cargo(&["check", "--quiet", "--package", OUTBOX, "--no-default-features", "--features", features])?;
    }
    Ok(())
}

fn features_of_the_library() -> Result<Vec<String>> {
    let packages = packages()?;
    let library = packages.iter().find(|package| package["name"] == LIBRARY);
    let features = library.and_then(|library| library["features"].as_object());
    let features = features.with_context(|| format!("cargo metadata does not list {LIBRARY}"))?;
    Ok(features.keys().filter(|feature| *feature != "default").cloned().collect())
}

/// Compiles the packages with the Rust version that they declare, if rustup has that toolchain.
///
/// Without it, the step is left out even if `BDC_COMPLETE` is set, since it cannot be installed everywhere.
pub fn msrv() -> Result<()> {
    let packages = packages()?;
    let library = packages.iter().find(|package| package["name"] == LIBRARY);
    let version = library.and_then(|library| library["rust_version"].as_str());
    let version = version.context("the library declares no `rust-version`")?;
    let Some(toolchain) = toolchain(version) else {
        tolerate_leaving_out(format!(
            "Rust {version}, since it is not installed (`rustup toolchain install {version}`)"
        ));
        return Ok(());
    };
    println!("toolchain: {toolchain}");
    // A folder of its own, since otherwise the compilers would invalidate each other's output.
    let target = root().join("target/msrv");
    let arguments = ["run", &toolchain, "cargo", "check", "--workspace", "--target-dir"];
    let mut rustup = Command::new("rustup");
    // Cargo sets it for this process, and the other toolchain would inherit it.
    run(rustup.args(arguments).arg(target).env_remove("RUSTUP_TOOLCHAIN").env_remove("CARGO").env_remove("RUSTC"))
}

/// The first installed toolchain of a version: `1.88-x86_64-…` or `1.88.0-x86_64-…`.
fn toolchain(version: &str) -> Option<String> {
    let output = Command::new("rustup").args(["toolchain", "list"]).output().ok()?;
    let list = String::from_utf8(output.stdout).ok()?;
    let of_version = |name: &str| name.strip_prefix(version).is_some_and(|rest| rest.starts_with(['-', '.']));
    list.lines().filter_map(|line| line.split(' ').next()).find(|name| of_version(name)).map(str::to_owned)
}

/// Runs cargo-deny. It takes minutes to build, so that without it the step is left out even if `BDC_COMPLETE` is set.
pub fn deny() -> Result<()> {
    if !succeeds("cargo", &["deny", "--version"]) {
        tolerate_leaving_out("the licence check, since cargo-deny is not installed (`cargo install cargo-deny`)");
        return Ok(());
    }
    cargo(&["deny", "check", "bans", "licenses", "sources"])
}
