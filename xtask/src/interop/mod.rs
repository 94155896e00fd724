//! What other languages make of `openapi/`: tools that their teams use, and nobody here wrote.
//!
//! A language is a folder of `tests/interop/`, and nothing here names one.

mod plan;
mod table;
mod workshop;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    time::Instant,
};

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::{root, sandbox::Sandbox};
use plan::{Check, Kind, Plan};
use table::{Outcome, Row};
use workshop::{Workshop, missing};

/// Where the languages are.
const FOLDER: &str = "tests/interop";

#[derive(Args, Default)]
pub struct Options {
    /// Only this language, by the name of its folder; may be given again.
    #[arg(long = "only", value_name = "LANGUAGE")]
    pub only: Vec<String>,
    /// Only checks of this kind.
    #[arg(long)]
    pub kind: Option<Kind>,
    /// Another folder than openapi/, such as a copy with a mistake in it.
    #[arg(long, value_name = "FOLDER")]
    pub openapi: Option<PathBuf>,
    /// What has to be left out is an error.
    #[arg(long)]
    pub complete: bool,
}

pub fn run(options: &Options) -> Result<()> {
    let begun = Instant::now();
    let openapi = options.openapi.clone().unwrap_or_else(|| root().join("openapi"));
    let openapi = openapi.canonicalize().with_context(|| format!("{} is not there", openapi.display()))?;
    let mut rows = Vec::new();
    for (name, source) in languages(&options.only)? {
        let mut plan = Plan::read(&source)?;
        plan.checks.retain(|check| options.kind.is_none_or(|kind| kind == check.kind));
        let outcomes = language(&plan, &source, root().join("target/interop").join(name), &openapi)?;
        rows.push(Row { language: plan.language, outcomes });
    }
    println!("\n{}", table::drawn(&rows));
    let outcomes = || rows.iter().flat_map(|row| &row.outcomes).map(|(_, outcome)| outcome);
    let red = outcomes().filter(|outcome| **outcome == Outcome::Red).count();
    let left_out = outcomes().filter(|outcome| **outcome == Outcome::LeftOut).count();
    let all = outcomes().count();
    println!("{all} checks, {red} red, {left_out} left out, in {} s", begun.elapsed().as_secs());
    if red > 0 {
        bail!("{red} of {all} checks are red; above is what each printed");
    }
    if options.complete && left_out > 0 {
        bail!("{left_out} of {all} checks were left out; above is what is missing for each");
    }
    Ok(())
}

/// The folders of the languages, by name.
fn languages(only: &[String]) -> Result<BTreeMap<String, PathBuf>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(root().join(FOLDER))? {
        let entry = entry?;
        if entry.path().join("interop.toml").exists() {
            found.insert(entry.file_name().to_string_lossy().into_owned(), entry.path());
        }
    }
    if let Some(unknown) = only.iter().find(|name| !found.contains_key(*name)) {
        bail!("there is no {FOLDER}/{unknown}; there are {}", found.into_keys().collect::<Vec<_>>().join(", "));
    }
    found.retain(|name, _| only.is_empty() || only.contains(name));
    Ok(found)
}

fn language(plan: &Plan, source: &Path, folder: PathBuf, openapi: &Path) -> Result<Vec<(Kind, Outcome)>> {
    let all = |outcome| plan.checks.iter().map(|check| (check.kind, outcome)).collect();
    if let Some(missing) = missing(&plan.needs) {
        println!("left out: {}, since `{missing}` does not run here", plan.language);
        return Ok(all(Outcome::LeftOut));
    }
    let workshop = match Workshop::prepare(plan, source, openapi, folder) {
        Ok(workshop) => workshop,
        Err(error) => {
            println!("{}: red, since it cannot be prepared: {error:#}", plan.language);
            return Ok(all(Outcome::Red));
        }
    };
    Ok(plan.checks.iter().map(|check| (check.kind, outcome(&plan.language, check, &workshop))).collect())
}

fn outcome(language: &str, check: &Check, workshop: &Workshop) -> Outcome {
    let named = format!("{language}: {}: {}", check.kind, check.name);
    if let Some(missing) = missing(&check.needs) {
        println!("left out: {named}, since `{missing}` does not run here");
        return Outcome::LeftOut;
    }
    let begun = Instant::now();
    match tried(check, workshop) {
        Ok(seen) => {
            println!("{named}: {seen} ({:.1} s)", begun.elapsed().as_secs_f64());
            Outcome::Green
        }
        Err(error) => {
            println!("{named}: red: {error:#}");
            Outcome::Red
        }
    }
}

/// What the check says that it has seen.
fn tried(check: &Check, workshop: &Workshop) -> Result<String> {
    let sandbox = match check.kind {
        Kind::Clients => Some(Sandbox::start(&["--replies", "observed"])?),
        Kind::Validators | Kind::Types => None,
    };
    let variables = sandbox.as_ref().map(|sandbox| ("BDC_SANDBOX", sandbox.url.as_str()));
    let mut printed = String::new();
    for command in &check.run {
        printed = workshop.run(command, variables)?;
    }
    Ok(printed.lines().last().unwrap_or("ok").to_owned())
}
