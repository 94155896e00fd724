//! Chores of the repository: `cargo xtask --help`.

mod artefacts;
mod bundle;
mod check;
mod ci;
mod compat;
mod interop;
mod readme;
mod reference;
mod regen;
mod sandbox;
mod schemas;
mod schemathesis;
mod vectors;

use std::{env, path::PathBuf, process::ExitCode};

use clap::Parser;

/// Chores of the repository.
#[derive(Parser)]
#[command(bin_name = "cargo xtask")]
enum Command {
    /// Makes everything that is made from openapi/connector.yaml, and says what changed.
    Regen {
        /// Makes the reference page instead, target/reference.html; needs Node.js.
        #[arg(long)]
        reference: bool,
    },
    /// Says what `regen` would change, and changes nothing.
    Check,
    /// Says what the change of the document means for Rust users and for senders of JSON: patch, minor or breaking.
    Compat {
        /// The commit, branch or tag to compare with; otherwise where this branch left the main branch.
        #[arg(long)]
        against: Option<String>,
    },
    /// Packs openapi/ for teams in other languages, the same bytes on every machine.
    Bundle,
    /// Tries with tools of other languages whether `openapi/` is enough for them.
    Interop(interop::Options),
    /// Runs everything that must be green before a change lands.
    Ci,
}

fn main() -> ExitCode {
    let result = match Command::parse() {
        Command::Regen { reference: true } => reference::run(),
        Command::Regen { reference: false } => regen::run(),
        Command::Check => check::run(),
        Command::Compat { against } => compat::run(against.as_deref()),
        Command::Bundle => bundle::run(),
        Command::Interop(options) => interop::run(&options),
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

/// The root of the workspace: the nearest folder upwards that has the document.
fn root() -> PathBuf {
    let here = env::current_dir().unwrap_or_default();
    let found = here.ancestors().find(|folder| folder.join(artefacts::DOCUMENT).exists()).map(PathBuf::from);
    found.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(".."))
}
