//! The build time of a crate that depends on the library: `cargo run -p build-cost`.
//!
//! Builds the library from scratch in several configurations, and prints the CPU seconds of each and their ratio to the
//! first, in which the client was generated in advance. Compare only ratios within one run. Then it changes the
//! document, and prints the time of an incremental build.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Instant,
};

use anyhow::{Context, Result, bail};
use clap::Parser;
use toml_edit::DocumentMut;

/// Measures the build time of a crate that depends on the library.
#[derive(Parser)]
struct Options {
    /// The number of builds per configuration, of which the median is printed.
    #[arg(long, default_value_t = 1)]
    rounds: usize,
}

struct Configuration {
    name: &'static str,
    arguments: &'static [&'static str],
    generated_in_advance: bool,
}

const CONFIGURATIONS: [Configuration; 4] = [
    Configuration {
        name: "generated in advance, no TLS",
        arguments: &["--no-default-features"],
        generated_in_advance: true,
    },
    Configuration { name: "no TLS", arguments: &["--no-default-features"], generated_in_advance: false },
    Configuration { name: "default (rustls, ring)", arguments: &[], generated_in_advance: false },
    Configuration {
        name: "native-tls",
        arguments: &["--no-default-features", "--features", "native-tls"],
        generated_in_advance: false,
    },
];

fn main() -> Result<()> {
    let options = Options::parse();
    let folder = tempfile::tempdir()?;
    let source = folder.path().join("source");
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."), &source)?;
    without_profiles(&source.join("Cargo.toml"))?;
    let warm = folder.path().join("warm");
    build(&source, &warm, &[], None)?;
    let generated = generated(&warm)?;
    let in_advance = folder.path().join("in_advance");
    copy(&source, &in_advance)?;
    without_build_script(&in_advance.join("Cargo.toml"))?;

    let mut costs = [const { Vec::new() }; CONFIGURATIONS.len()];
    for round in 0..options.rounds.max(1) {
        for (configuration, costs) in CONFIGURATIONS.iter().zip(&mut costs) {
            let target = folder.path().join("target");
            let out = configuration.generated_in_advance.then_some(generated.as_path());
            let built = if configuration.generated_in_advance { &in_advance } else { &source };
            let before = cpu_seconds()?;
            let crates = build(built, &target, configuration.arguments, out)?;
            let cost = cpu_seconds()? - before;
            eprintln!("round {}: {}: {cost:.1} s, {crates} crates", round + 1, configuration.name);
            costs.push((cost, crates));
            fs::remove_dir_all(&target)?;
        }
    }
    let medians = costs.map(|mut costs| {
        costs.sort_by(|a, b| a.0.total_cmp(&b.0));
        costs[costs.len() / 2]
    });
    println!("{:<32} {:>8} {:>8} {:>8}", "configuration", "CPU s", "crates", "ratio");
    for (configuration, (cost, crates)) in CONFIGURATIONS.iter().zip(medians) {
        println!("{:<32} {cost:>8.1} {crates:>8} {:>8.2}", configuration.name, cost / medians[0].0);
    }

    let document = source.join("openapi/connector.yaml");
    fs::write(&document, fs::read_to_string(&document)? + "\n")?;
    let begun = Instant::now();
    build(&source, &warm, &[], None)?;
    println!("incremental build after a change of the document: {:.1} s", begun.elapsed().as_secs_f64());
    Ok(())
}

/// Builds the library, and returns the number of crates that were compiled.
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
    let messages = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        bail!("the build failed:\n{messages}");
    }
    Ok(messages.lines().filter(|line| line.trim_start().starts_with("Compiling ")).count())
}

/// The user and system time of all child processes that have been waited for.
#[cfg(unix)]
fn cpu_seconds() -> Result<f64> {
    let usage = nix::sys::resource::getrusage(nix::sys::resource::UsageWho::RUSAGE_CHILDREN)?;
    let seconds = |time: nix::sys::time::TimeVal| time.tv_sec() as f64 + time.tv_usec() as f64 / 1e6;
    Ok(seconds(usage.user_time()) + seconds(usage.system_time()))
}

#[cfg(not(unix))]
fn cpu_seconds() -> Result<f64> {
    bail!("the CPU time of child processes can be measured on Unix only")
}

/// The folder with the generated client.
fn generated(target: &Path) -> Result<PathBuf> {
    for entry in fs::read_dir(target.join("debug/build"))? {
        let out = entry?.path().join("out");
        if out.join("generated.rs").exists() {
            return Ok(out);
        }
    }
    bail!("the build generated no generated.rs")
}

/// The profiles of a workspace do not apply to dependants.
fn without_profiles(manifest: &Path) -> Result<()> {
    let mut document: DocumentMut = fs::read_to_string(manifest)?.parse()?;
    document.remove("profile");
    fs::write(manifest, document.to_string())?;
    Ok(())
}

fn without_build_script(manifest: &Path) -> Result<()> {
    let mut document: DocumentMut = fs::read_to_string(manifest)?.parse()?;
    document.remove("build-dependencies");
    document["package"]["build"] = toml_edit::value(false);
    fs::write(manifest, document.to_string())?;
    Ok(())
}

/// Copies a folder without build output and the git repository.
fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            // In a linked worktree, `.git` is a file.
            _ if entry.file_name() == ".git" => {}
            true if entry.file_name() == "target" => {}
            true => copy(&entry.path(), &target)?,
            false => _ = fs::copy(entry.path(), &target)?,
        }
    }
    Ok(())
}
