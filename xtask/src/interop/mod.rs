//! `interop`: tests `openapi/` with third-party tools of other languages.
//!
//! Each language is a folder in `tests/interop/`; this code is independent of the language.

pub mod clients;
mod plan;
mod receivers;
mod table;
mod workdir;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    time::Instant,
};

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::{tools::sandbox::Sandbox, workspace::root};
use plan::{Check, Kind, Plan};
use table::{Row, Status};
use workdir::{Workdir, missing};

/// The folder of the languages.
const FOLDER: &str = "tests/interop";

/// The folder of the tools that take another generated document than the schemas and `connector.yaml`.
pub const DOCUMENTS: &str = "tests/documents";

#[derive(Args, Default)]
pub struct Options {
    /// Only this language, by the name of its folder. May be repeated.
    #[arg(long = "only", value_name = "LANGUAGE")]
    pub only: Vec<String>,
    /// Only this kind of check.
    #[arg(long)]
    pub kind: Option<Kind>,
    /// The folder to test instead of openapi/.
    #[arg(long, value_name = "FOLDER")]
    pub openapi: Option<PathBuf>,
    /// The folder with a folder for each language, or for each tool of another kind [default: tests/interop]
    #[arg(long, value_name = "FOLDER")]
    pub tools: Option<String>,
    /// Fails if anything has to be left out.
    #[arg(long)]
    pub complete: bool,
}

pub fn run(options: &Options) -> Result<()> {
    let begun = Instant::now();
    let openapi = options.openapi.clone().unwrap_or_else(|| root().join("openapi"));
    let openapi = openapi.canonicalize().with_context(|| format!("{} does not exist", openapi.display()))?;
    let mut rows = Vec::new();
    for (name, source) in languages(options.tools.as_deref().unwrap_or(FOLDER), &options.only)? {
        let mut plan = Plan::read(&source)?;
        plan.checks.retain(|check| options.kind.is_none_or(|kind| kind == check.kind));
        let statuses = language(&plan, &source, root().join("target/interop").join(name), &openapi)?;
        rows.push(Row { language: plan.language, statuses });
    }
    println!("\n{}", table::table(&rows));
    let statuses = || rows.iter().flat_map(|row| &row.statuses).map(|(_, status)| status);
    let failed = statuses().filter(|status| **status == Status::Failed).count();
    let left_out = statuses().filter(|status| **status == Status::LeftOut).count();
    let all = statuses().count();
    println!("{all} checks, {failed} failed, {left_out} left out, in {} s", begun.elapsed().as_secs());
    if failed > 0 {
        bail!("{failed} of {all} checks failed; see their output above");
    }
    if options.complete && left_out > 0 {
        bail!("{left_out} of {all} checks were left out; see above for what is missing");
    }
    Ok(())
}

/// The folders of the languages by name.
fn languages(tools: &str, only: &[String]) -> Result<BTreeMap<String, PathBuf>> {
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(root().join(tools)).with_context(|| format!("cannot read {tools}"))? {
        let entry = entry?;
        if entry.path().join("interop.toml").exists() {
            found.insert(entry.file_name().to_string_lossy().into_owned(), entry.path());
        }
    }
    if let Some(unknown) = only.iter().find(|name| !found.contains_key(*name)) {
        bail!("there is no {tools}/{unknown}; the languages are {}", found.into_keys().collect::<Vec<_>>().join(", "));
    }
    found.retain(|name, _| only.is_empty() || only.contains(name));
    Ok(found)
}

fn language(plan: &Plan, source: &Path, folder: PathBuf, openapi: &Path) -> Result<Vec<(Kind, Status)>> {
    let all = |status| plan.checks.iter().map(|check| (check.kind, status)).collect();
    if let Some(missing) = missing(&plan.needs) {
        println!("left out: {}, since `{missing}` fails", plan.language);
        return Ok(all(Status::LeftOut));
    }
    let workdir = match Workdir::prepare(plan, source, openapi, folder) {
        Ok(workdir) => workdir,
        Err(error) => {
            println!("{}: failed to prepare: {error:#}", plan.language);
            return Ok(all(Status::Failed));
        }
    };
    Ok(plan.checks.iter().map(|check| (check.kind, run_check(&plan.language, check, &workdir))).collect())
}

fn run_check(language: &str, check: &Check, workdir: &Workdir) -> Status {
    let named = format!("{language}: {}: {}", check.kind, check.name);
    if let Some(missing) = missing(&check.needs) {
        println!("left out: {named}, since `{missing}` fails");
        return Status::LeftOut;
    }
    let begun = Instant::now();
    match summary(check, workdir) {
        Ok(summary) => {
            println!("{named}: {summary} ({:.1} s)", begun.elapsed().as_secs_f64());
            Status::Passed
        }
        Err(error) => {
            println!("{named}: failed: {error:#}");
            Status::Failed
        }
    }
}

/// Runs the commands of a check, and returns a line that summarizes it, which is usually their last line of output.
fn summary(check: &Check, workdir: &Workdir) -> Result<String> {
    let sandbox = match check.kind {
        Kind::Receivers => return receivers::summary(&check.run, workdir),
        Kind::Clients => Some(Sandbox::start(&["--replies", "observed"])?),
        Kind::Validators | Kind::Types => None,
    };
    let variables = sandbox.as_ref().map(|sandbox| ("BDC_SANDBOX", sandbox.url.as_str()));
    let mut printed = String::new();
    for command in &check.run {
        printed = workdir.run(command, variables.as_slice())?;
    }
    Ok(printed.lines().last().unwrap_or("ok").to_owned())
}
