//! Development tasks: `cargo xtask --help`.

mod archive;
mod artefacts;
mod bench;
mod bundle;
mod check;
mod ci;
mod command;
mod compat;
mod damages;
mod dist;
mod git;
mod interop;
mod layout;
mod regen;
mod tools;
mod versions;
mod workspace;

use std::process::ExitCode;

use clap::Parser;

use tools::reference;

/// Development tasks.
#[derive(Parser)]
#[command(bin_name = "cargo xtask")]
enum Task {
    /// Regenerates every file that is made from openapi/connector.yaml, and lists what changed.
    Regen {
        /// Generates the reference page target/reference.html instead. Requires Node.js.
        #[arg(long)]
        reference: bool,
    },
    /// Reports what `regen` would change, and snapshots that need attention. Changes nothing.
    Check,
    /// Reports whether a change to the document is a patch, minor or breaking, for Rust users and for senders of JSON.
    Compat {
        /// The commit, branch or tag to compare with [default: the merge base with the main branch]
        #[arg(long)]
        against: Option<String>,
    },
    /// Packs openapi/ into a reproducible archive, for teams that use other languages.
    Bundle,
    /// Packs the sandbox and openapi/ for teams without Rust: archives, Python wheels and npm packages. Linux only.
    Dist(dist::Options),
    /// Tests openapi/ with validators and generators of other languages.
    Interop(interop::Options),
    /// Measures the speed of the connector beside clients written by hand. Requires valgrind.
    Bench(bench::Options),
    /// Runs the checks that have to pass before a change is merged: all of them, or the steps named.
    Ci(ci::Options),
}

fn main() -> ExitCode {
    let result = match Task::parse() {
        Task::Regen { reference: true } => reference::run(),
        Task::Regen { reference: false } => regen::run(),
        Task::Check => check::run(),
        Task::Compat { against } => compat::run(against.as_deref()),
        Task::Bundle => bundle::run(),
        Task::Dist(options) => dist::run(&options),
        Task::Interop(options) => interop::run(&options),
        Task::Bench(options) => bench::run(&options),
        Task::Ci(options) => ci::run(&options),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error:#}");
            ExitCode::FAILURE
        }
    }
}
