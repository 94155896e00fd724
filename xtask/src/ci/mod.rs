//! The checks that have to pass before a change is merged, as a table of steps.

mod cargo;
mod examples;
mod packages;
mod pages;

use std::{collections::BTreeSet, time::Instant};

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::{
    bench, check,
    command::{left_out, must_be_complete},
    compat, damages, interop, layout,
    tools::schemathesis,
};

#[derive(Args)]
pub struct Options {
    /// The steps to run, in the order of `--list` [default: all]
    #[arg(value_name = "STEP")]
    steps: Vec<String>,
    /// Lists the steps.
    #[arg(long)]
    list: bool,
}

struct Step {
    name: &'static str,
    summary: &'static str,
    /// Returns lines that are printed again at the end.
    run: fn() -> Result<Vec<String>>,
}

const fn step(name: &'static str, summary: &'static str, run: fn() -> Result<Vec<String>>) -> Step {
    Step { name, summary, run }
}

/// In the order in which they run: fast ones first.
const STEPS: &[Step] = &[
    step("format", "rustfmt", || cargo::format().map(none)),
    step("layout", "lengths of files, widths of comments, and circles between files", || layout::run().map(none)),
    step("clippy", "clippy over the whole workspace, without warnings", || cargo::clippy().map(none)),
    step("artefacts", "generated files and snapshots are up to date: `cargo xtask check`", || check::run().map(none)),
    step("damages", "no mistake in the document goes unnoticed: each line is damaged", damages::run),
    step("compat", "a breaking change is announced: `cargo xtask compat`", || compat::run(None).map(none)),
    step("openapi", "the linter for OpenAPI documents (Node.js)", || pages::lint().map(none)),
    step("redocly", "our verdicts of `compat` against those of Redocly (Node.js)", || pages::compare().map(none)),
    step("features", "the library compiles with no feature, each alone, each pair, and all", || {
        cargo::features().map(none)
    }),
    step("msrv", "the packages compile with the Rust version that they declare", || cargo::msrv().map(none)),
    step("licences", "licences, bans and sources of dependencies (cargo-deny)", || cargo::deny().map(none)),
    step("tests", "the tests of the workspace", cargo::tests),
    step("no-tls", "tests of the library without TLS", || cargo::tests_without_tls().map(none)),
    step("dependants", "applications with other features of shared dependencies work beside the library", || {
        cargo::dependants().map(none)
    }),
    step("proof", "a changed document needs no other edit, shown on copies of the workspace", || {
        cargo::proof().map(none)
    }),
    step("schemathesis", "generated requests against the sandbox (Python)", || schemathesis::run().map(none)),
    step("page", "the sandbox's page in a browser (Chromium)", || pages::sandbox().map(none)),
    step("reference", "the reference page in a browser (Node.js, Chromium)", || pages::reference().map(none)),
    step("interop", "openapi/ with the tools of other languages: `cargo xtask interop`", || interop().map(none)),
    step("documents", "overlays, collections, generators and agents with the documents made for them", || {
        documents().map(none)
    }),
    step("dist", "the packages of `cargo xtask dist` in clean environments (Python, Node.js)", || {
        packages::run().map(none)
    }),
    step("speed", "instructions and allocations beside a client written by hand (valgrind)", || speed().map(none)),
    step("docs", "rustdoc, without warnings", || cargo::docs().map(none)),
    step("examples", "every example against a sandbox", || examples::run().map(none)),
];

pub fn run(options: &Options) -> Result<()> {
    if options.list {
        for Step { name, summary, .. } in STEPS {
            println!("{name:<14}{summary}");
        }
        return Ok(());
    }
    let names: Vec<_> = STEPS.iter().map(|step| step.name).collect();
    let chosen: BTreeSet<_> = options.steps.iter().map(String::as_str).collect();
    if let Some(unknown) = chosen.iter().find(|name| !names.contains(*name)) {
        bail!("there is no step `{unknown}`; the steps are {}", names.join(", "));
    }
    let mut lines = Vec::new();
    for step in STEPS.iter().filter(|step| chosen.is_empty() || chosen.contains(step.name)) {
        println!("\n== {}", step.name);
        let begun = Instant::now();
        lines.extend((step.run)().with_context(|| {
            format!("\nstep `{}` failed; to run it alone: cargo xtask ci {0}\nstep `{0}`", step.name)
        })?);
        println!("== {}: {} s", step.name, begun.elapsed().as_secs());
    }
    println!("\nNo step failed.");
    left_out().iter().chain(&lines).for_each(|line| println!("{line}"));
    Ok(())
}

fn none((): ()) -> Vec<String> {
    Vec::new()
}

/// The tools that take the overlay, the collections and the JSON documents.
fn documents() -> Result<()> {
    let tools = Some(interop::DOCUMENTS.to_owned());
    interop::run(&interop::Options { tools, complete: must_be_complete(), ..Default::default() })
}

/// What other work on the machine does not change.
fn speed() -> Result<()> {
    bench::run(&bench::Options { quick: true, ..Default::default() })
}

/// The tools of other languages on `openapi/`, and on a copy with a mistake.
fn interop() -> Result<()> {
    interop::run(&interop::Options { complete: must_be_complete(), ..Default::default() })?;
    crate::command::cargo(
        &[
            &["test", "--quiet", "--package", "xtask", "--test", "interop"][..],
            &["--", "--ignored", "--test-threads", "1"],
        ]
        .concat(),
    )
}
