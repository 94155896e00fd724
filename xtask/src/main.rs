//! Chores of the repository: `cargo xtask --help`.

mod artefacts;
mod check;
mod ci;
mod readme;
mod regen;

use std::{path::PathBuf, process::ExitCode};

use clap::Parser;

/// Chores of the repository.
#[derive(Parser)]
#[command(bin_name = "cargo xtask")]
enum Command {
    /// Makes everything that is made from openapi/connector.yaml, and says what changed.
    Regen,
    /// Says what `regen` would change, and changes nothing.
    Check,
    /// Runs everything that must be green before a change lands.
    Ci,
}

fn main() -> ExitCode {
    let result = match Command::parse() {
        Command::Regen => regen::run(),
        Command::Check => check::run(),
        Command::Ci => ci::run(),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}

/// The root of the workspace.
fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}
