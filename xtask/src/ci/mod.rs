use std::{
    env,
    ffi::OsStr,
    fmt::Display,
    fs,
    io::{BufRead, BufReader},
    path::PathBuf,
    process::{Command, Stdio},
    time::Instant,
};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::{check, compat, interop, reference, root, schemathesis};

/// With which the whole workspace is checked: everything but the second TLS.
const SCHEMARS: &str = "business-data-connector/schemars";

/// The npm package of the linter, which also compares documents.
pub const REDOCLY: &str = "@redocly/cli@2.77.0";

pub fn run() -> Result<()> {
    step("format", || cargo(&["fmt", "--all", "--check"]))?;
    step("clippy", || {
        cargo(&["clippy", "--workspace", "--all-targets", "--features", SCHEMARS, "--", "-D", "warnings"])
    })?;
    step("artefacts", check::run)?;
    step("compatibility", || compat::run(None))?;
    step("document", lint_document)?;
    step("compatibility, as others see it", compare_with_redocly)?;
    step("features", every_feature_combination)?;
    step("licences", licences)?;
    let mut summary = Vec::new();
    step("tests", || {
        summary = tests()?;
        Ok(())
    })?;
    step("tests without TLS", || {
        cargo(&[
            "test",
            "--quiet",
            "--package",
            "business-data-connector",
            "--no-default-features",
            "--test",
            "invalid_input",
        ])
    })?;
    step("proof", || {
        cargo(&["test", "--quiet", "--package", "xtask", "--test", "proof", "--", "--ignored", "--test-threads", "1"])
    })?;
    step("schemathesis", schemathesis::run)?;
    step("page", page)?;
    step("reference", reference_page)?;
    step("other languages", other_languages)?;
    step("docs", docs)?;
    step("quickstart", || cargo(&["run", "--quiet", "--example", "quickstart"]))?;
    println!("\nEverything is green. The tests once more:");
    for line in summary {
        println!("{line}");
    }
    Ok(())
}

fn step(name: &str, run: impl FnOnce() -> Result<()>) -> Result<()> {
    println!("\n== {name}");
    let begun = Instant::now();
    run().with_context(|| format!("{name} failed"))?;
    println!("== {name}: {} s", begun.elapsed().as_secs());
    Ok(())
}

fn cargo(arguments: &[&str]) -> Result<()> {
    succeed(Command::new(env!("CARGO")).args(arguments))
}

pub fn succeed(command: &mut Command) -> Result<()> {
    let status = command.current_dir(root()).status().with_context(|| format!("cannot run {command:?}"))?;
    if !status.success() {
        bail!("{command:?} ended with {status}");
    }
    Ok(())
}

/// Runs the tests and keeps the lines in which the runner sums up.
fn tests() -> Result<Vec<String>> {
    let mut command = Command::new(env!("CARGO"));
    command.args(["test", "--workspace", "--features", SCHEMARS]).current_dir(root()).stdout(Stdio::piped());
    let mut child = command.spawn().context("cannot run cargo test")?;
    let output = child.stdout.take().context("the output of cargo test is not to be had")?;
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
        bail!("cargo test ended with {status}");
    }
    Ok(summary)
}

fn docs() -> Result<()> {
    let arguments = ["doc", "--workspace", "--no-deps", "--features", SCHEMARS];
    succeed(Command::new(env!("CARGO")).args(arguments).env("RUSTDOCFLAGS", "-D warnings"))
}

fn every_feature_combination() -> Result<()> {
    let openssl = cfg!(not(target_os = "linux")) || present("pkg-config", &["--exists", "openssl"]);
    if !openssl {
        println!("left out: combinations with native-tls, since the development files of OpenSSL are not there");
    }
    let all = features_of_the_library()?;
    for combination in 0..1 << all.len() {
        let chosen = all.iter().enumerate().filter(|(bit, _)| combination >> bit & 1 == 1);
        let features = chosen.map(|(_, feature)| feature.as_str()).collect::<Vec<_>>().join(",");
        if openssl || !features.contains("native-tls") {
            println!("features: {}", if features.is_empty() { "none" } else { &features });
            let package = ["check", "--quiet", "--package", "business-data-connector"];
            cargo(&[&package[..], &["--no-default-features", "--features", features.as_str()]].concat())?;
        }
    }
    Ok(())
}

fn features_of_the_library() -> Result<Vec<String>> {
    let arguments = ["metadata", "--no-deps", "--format-version", "1"];
    let output = Command::new(env!("CARGO")).args(arguments).current_dir(root()).output()?;
    let metadata: Value = serde_json::from_slice(&output.stdout).context("cargo metadata is not JSON")?;
    let packages = metadata["packages"].as_array().context("cargo metadata names no packages")?;
    let library = packages.iter().find(|package| package["name"] == "business-data-connector");
    let features = library.and_then(|library| library["features"].as_object()).context("the library is not there")?;
    Ok(features.keys().filter(|feature| *feature != "default").cloned().collect())
}

/// A linter for OpenAPI that others use too; its rules are in redocly.yaml.
fn lint_document() -> Result<()> {
    if !redocly_is_there() {
        return leave_out(format!("the OpenAPI linter, since `npx {REDOCLY}` does not run here"));
    }
    redocly(&["lint", "openapi/connector.yaml", "sandbox/src/inspection.yaml"])
}

/// It tells nobody anything: that is in redocly.yaml.
pub fn redocly(arguments: &[&str]) -> Result<()> {
    let mut npx = Command::new("npx");
    succeed(npx.args(["--yes", REDOCLY]).args(arguments).env("REDOCLY_SUPPRESS_UPDATE_NOTICE", "true"))
}

/// Our verdicts on single edits against those of Redocly.
fn compare_with_redocly() -> Result<()> {
    if !redocly_is_there() {
        return leave_out(format!("the comparison with Redocly's verdicts, since `npx {REDOCLY}` does not run here"));
    }
    cargo(&["test", "--quiet", "--package", "xtask", "--bin", "xtask", "--", "--ignored", "redocly"])
}

/// The sandbox's page in a browser.
fn page() -> Result<()> {
    if !present("chromium", &["--version"]) || !present("chromedriver", &["--version"]) {
        return leave_out("the sandbox's page in a browser (Debian: apt-get install chromium chromium-driver)");
    }
    let mut test = Command::new(env!("CARGO"));
    test.args(["test", "--quiet", "--package", "business-data-connector-sandbox", "--test", "page", "--", "--ignored"]);
    succeed(test.env("BDC_PAGE_PICTURE", picture("sandbox.png")?))
}

/// Where a picture is kept, for whoever looks at what a run has seen.
fn picture(name: &str) -> Result<PathBuf> {
    let folder = root().join("target/pictures");
    fs::create_dir_all(&folder)?;
    println!("the picture is target/pictures/{name}");
    Ok(folder.join(name))
}

/// The reference page in a browser.
fn reference_page() -> Result<()> {
    if !redocly_is_there() || !present("chromium", &["--version"]) {
        return leave_out(format!("the reference page, since `npx {REDOCLY}` or chromium does not run here"));
    }
    reference::run()?;
    let mut test = Command::new(env!("CARGO"));
    test.args(["test", "--quiet", "--package", "xtask", "--test", "reference", "--", "--ignored"]);
    succeed(test.env("BDC_PAGE_PICTURE", picture("reference.png")?))
}

/// Other languages' tools on what they get, and on a copy with a mistake in it.
fn other_languages() -> Result<()> {
    interop::run(&interop::Options { complete: complete(), ..Default::default() })?;
    cargo(&["test", "--quiet", "--package", "xtask", "--test", "interop", "--", "--ignored", "--test-threads", "1"])
}

fn licences() -> Result<()> {
    if !present("cargo", &["deny", "--version"]) {
        println!("left out: the licence check, since cargo-deny is not there (`cargo install cargo-deny`)");
        return Ok(());
    }
    cargo(&["deny", "check", "bans", "licenses", "sources"])
}

/// Says what is left out and why, which is an error where nothing may be: BDC_COMPLETE is set.
pub fn leave_out(what: impl Display) -> Result<()> {
    if complete() {
        bail!("nothing may be left out here, and this would be: {what}");
    }
    println!("left out: {what}");
    Ok(())
}

fn complete() -> bool {
    env::var_os("BDC_COMPLETE").is_some()
}

/// It needs Node.js and the npm registry.
pub fn redocly_is_there() -> bool {
    present("npx", &["--yes", REDOCLY, "--version"])
}

pub fn present(program: &str, arguments: &[impl AsRef<OsStr>]) -> bool {
    let quiet = || Stdio::null();
    let ran = Command::new(program).args(arguments).stdin(quiet()).stdout(quiet()).stderr(quiet()).status();
    ran.is_ok_and(|status| status.success())
}
