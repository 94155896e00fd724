//! What a dependant pays for a build: `cargo run -p build-cost`.
//!
//! Builds the library from nothing in several ways, in turn, and prints the CPU seconds of each and their ratio to the
//! first, for which the client was generated beforehand. Only ratios of one run mean anything. Then it touches the
//! document and prints how long the client takes to be there again.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Instant,
};

use anyhow::{Context, Result, bail};
use clap::Parser;
use toml_edit::DocumentMut;

/// Measures what a dependant pays for a build.
#[derive(Parser)]
struct Options {
    /// How often each way is built; the median is printed.
    #[arg(long, default_value_t = 1)]
    rounds: usize,
}

struct Way {
    name: &'static str,
    arguments: &'static [&'static str],
    generated_beforehand: bool,
}

const WAYS: [Way; 4] = [
    Way { name: "generated beforehand, no TLS", arguments: &["--no-default-features"], generated_beforehand: true },
    Way { name: "no TLS", arguments: &["--no-default-features"], generated_beforehand: false },
    Way { name: "default (rustls, ring)", arguments: &[], generated_beforehand: false },
    Way {
        name: "native-tls",
        arguments: &["--no-default-features", "--features", "native-tls"],
        generated_beforehand: false,
    },
];

fn main() -> Result<()> {
    let options = Options::parse();
    let folder = tempfile::tempdir()?;
    let source = folder.path().join("source");
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."), &source)?;
    let warm = folder.path().join("warm");
    build(&source, &warm, &[], None)?;
    let generated = generated(&warm)?;
    let beforehand = folder.path().join("beforehand");
    copy(&source, &beforehand)?;
    without_build_script(&beforehand.join("Cargo.toml"))?;

    let mut costs = [const { Vec::new() }; WAYS.len()];
    for round in 0..options.rounds.max(1) {
        for (way, costs) in WAYS.iter().zip(&mut costs) {
            let target = folder.path().join("target");
            let out = way.generated_beforehand.then_some(generated.as_path());
            let built = if way.generated_beforehand { &beforehand } else { &source };
            let before = cpu_seconds()?;
            let crates = build(built, &target, way.arguments, out)?;
            let cost = cpu_seconds()? - before;
            eprintln!("round {}: {}: {cost:.1} s, {crates} crates", round + 1, way.name);
            costs.push((cost, crates));
            fs::remove_dir_all(&target)?;
        }
    }
    let medians = costs.map(|mut costs| {
        costs.sort_by(|a, b| a.0.total_cmp(&b.0));
        costs[costs.len() / 2]
    });
    println!("{:<32} {:>8} {:>8} {:>8}", "way", "CPU s", "crates", "ratio");
    for (way, (cost, crates)) in WAYS.iter().zip(medians) {
        println!("{:<32} {cost:>8.1} {crates:>8} {:>8.2}", way.name, cost / medians[0].0);
    }

    let document = source.join("openapi/connector.yaml");
    fs::write(&document, fs::read_to_string(&document)? + "\n")?;
    let begun = Instant::now();
    build(&source, &warm, &[], None)?;
    println!("from a touched document to the client: {:.1} s", begun.elapsed().as_secs_f64());
    Ok(())
}

/// Builds the library and gives the number of crates that were compiled.
fn build(source: &Path, target: &Path, arguments: &[&str], out_dir: Option<&Path>) -> Result<usize> {
    let mut command = Command::new(env!("CARGO"));
    command
        .args(["build", "--lib", "--package", "business-data-connector", "--target-dir"])
        .arg(target)
        .args(arguments);
    command.current_dir(source).stdout(Stdio::null()).env_remove("RUSTFLAGS");
    if let Some(out_dir) = out_dir {
        command.env("OUT_DIR", out_dir);
    }
    let output = command.output().context("cannot run cargo")?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        bail!("the build failed:\n{said}");
    }
    Ok(said.lines().filter(|line| line.trim_start().starts_with("Compiling ")).count())
}

/// User and system time of every process that was waited for.
#[cfg(unix)]
fn cpu_seconds() -> Result<f64> {
    let usage = nix::sys::resource::getrusage(nix::sys::resource::UsageWho::RUSAGE_CHILDREN)?;
    let seconds = |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    Ok(seconds(usage.user_time()) + seconds(usage.system_time()))
}

#[cfg(not(unix))]
fn cpu_seconds() -> Result<f64> {
    bail!("the CPU time of other processes is measured on Unix only")
}

/// The folder with the client that a build generated.
fn generated(target: &Path) -> Result<PathBuf> {
    for entry in fs::read_dir(target.join("debug/build"))? {
        let out = entry?.path().join("out");
        if out.join("generated.rs").exists() {
            return Ok(out);
        }
    }
    bail!("the build left no generated.rs")
}

fn without_build_script(manifest: &Path) -> Result<()> {
    let mut document: DocumentMut = fs::read_to_string(manifest)?.parse()?;
    document.remove("build-dependencies");
    document["package"]["build"] = toml_edit::value(false);
    fs::write(manifest, document.to_string())?;
    Ok(())
}

/// A copy of a folder without what builds and git leave in it.
fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true if ["target", ".git"].iter().any(|left| entry.file_name() == *left) => {}
            true => copy(&entry.path(), &target)?,
            false => _ = fs::copy(entry.path(), &target)?,
        }
    }
    Ok(())
}
