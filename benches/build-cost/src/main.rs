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
    /// Prints the name, the CPU seconds, the number of crates and the ratio of each configuration between tabs, and
    /// then the seconds of the incremental build.
    #[arg(long)]
    tabs: bool,
}

struct Configuration {
    name: &'static str,
    package: &'static str,
    arguments: &'static [&'static str],
    generated_in_advance: bool,
}

const fn configuration(name: &'static str, arguments: &'static [&'static str]) -> Configuration {
    Configuration { name, package: "business-data-connector", arguments, generated_in_advance: false }
}

impl Configuration {
    /// What is built is the outbox, and the library with it.
    const fn of_the_outbox(self) -> Self {
        Self { package: "business-data-connector-outbox", ..self }
    }

    fn can_be_built(&self) -> bool {
        let openssl = || Command::new("pkg-config").args(["--exists", "openssl"]).status();
        let can = self.name != NATIVE_TLS || cfg!(not(target_os = "linux")) || openssl().is_ok_and(|it| it.success());
        if !can {
            eprintln!("left out: {}: OpenSSL's development files are not installed", self.name);
        }
        can
    }
}

const CONFIGURATIONS: [Configuration; 9] = [
    Configuration { generated_in_advance: true, ..configuration("generated in advance, no TLS", NO_DEFAULTS) },
    configuration("no TLS", NO_DEFAULTS),
    DEFAULT,
    configuration(NATIVE_TLS, &["--no-default-features", "--features", "native-tls"]),
    configuration("default, schemars", &["--features", "schemars"]),
    configuration("default, inbox", &["--features", "inbox"]),
    configuration("default, sqlite (with inbox)", &["--features", "sqlite"]),
    configuration("default, outbox with sqlite", &["--features", "business-data-connector/default"]).of_the_outbox(),
    configuration(
        "default, outbox with postgres",
        &["--no-default-features", "--features", "postgres,business-data-connector/default"],
    )
    .of_the_outbox(),
];
const NATIVE_TLS: &str = "native-tls";
const NO_DEFAULTS: &[&str] = &["--no-default-features"];
const DEFAULT: Configuration = configuration("default (rustls, ring)", &[]);

fn main() -> Result<()> {
    let options = Options::parse();
    let folder = tempfile::tempdir()?;
    let source = folder.path().join("source");
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."), &source)?;
    without_profiles(&source.join("Cargo.toml"))?;
    let warm = folder.path().join("warm");
    // As good a build from scratch as the others, so that the default is not built twice.
    let mut first = Some(measured(&source, &warm, &DEFAULT, None)?);
    let generated = generated(&warm)?;
    let in_advance = folder.path().join("in_advance");
    copy(&source, &in_advance)?;
    without_build_script(&in_advance.join("Cargo.toml"))?;

    let configurations: Vec<_> = CONFIGURATIONS.iter().filter(|configuration| configuration.can_be_built()).collect();
    let mut costs = vec![Vec::new(); configurations.len()];
    for round in 0..options.rounds.max(1) {
        for (configuration, costs) in configurations.iter().zip(&mut costs) {
            let target = folder.path().join("target");
            let out = configuration.generated_in_advance.then_some(generated.as_path());
            let built = if configuration.generated_in_advance { &in_advance } else { &source };
            let (cost, crates) = match first.take_if(|_| configuration.name == DEFAULT.name) {
                Some(first) => first,
                None => {
                    let cost = measured(built, &target, configuration, out)?;
                    fs::remove_dir_all(&target)?;
                    cost
                }
            };
            eprintln!("round {}: {}: {cost:.1} s, {crates} crates", round + 1, configuration.name);
            costs.push((cost, crates));
        }
    }
    let median = |mut costs: Vec<(f64, usize)>| {
        costs.sort_by(|a, b| a.0.total_cmp(&b.0));
        costs[costs.len() / 2]
    };
    let medians: Vec<_> = costs.into_iter().map(median).collect();
    if !options.tabs {
        println!("{:<32} {:>8} {:>8} {:>8}", "configuration", "CPU s", "crates", "ratio");
    }
    for (Configuration { name, .. }, (cost, crates)) in configurations.iter().zip(&medians) {
        let ratio = cost / medians[0].0;
        match options.tabs {
            true => println!("{name}\t{cost:.1}\t{crates}\t{ratio:.2}"),
            false => println!("{name:<32} {cost:>8.1} {crates:>8} {ratio:>8.2}"),
        }
    }

    let document = source.join("openapi/connector.yaml");
    fs::write(&document, fs::read_to_string(&document)? + "\n")?;
    let begun = Instant::now();
    build(&source, &warm, &DEFAULT, None)?;
    let seconds = begun.elapsed().as_secs_f64();
    match options.tabs {
        true => println!("{seconds:.1}"),
        false => println!("incremental build after a change of the document: {seconds:.1} s"),
    }
    Ok(())
}

/// Builds the library, and returns the CPU seconds and the number of crates.
fn measured(source: &Path, target: &Path, what: &Configuration, out_dir: Option<&Path>) -> Result<(f64, usize)> {
    let before = cpu_seconds()?;
    let crates = build(source, target, what, out_dir)?;
    Ok((cpu_seconds()? - before, crates))
}

/// Builds the library, and returns the number of crates that were compiled.
fn build(source: &Path, target: &Path, what: &Configuration, out_dir: Option<&Path>) -> Result<usize> {
    let mut command = Command::new(env!("CARGO"));
    command.args(["build", "--lib", "--package", what.package, "--target-dir"]).arg(target).args(what.arguments);
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
