//! The generated clients, for `bench`.

use std::{path::Path, rc::Rc};

use anyhow::{Context, Result};

use super::{
    FOLDER, languages,
    plan::Plan,
    workdir::{Workdir, missing},
};
use crate::workspace::root;

/// A generated client.
pub struct Client {
    /// Of the language and the generator.
    pub name: String,
    workdir: Rc<Workdir>,
    /// Pushes records.
    command: String,
}

impl Client {
    /// Runs a process that pushes records, one after another.
    pub fn push(&self, url: &str, calls: u32) -> Result<()> {
        let variables = [("BDC_SANDBOX", url), ("BDC_CALLS", &calls.to_string())];
        self.workdir.run(&self.command, &variables).with_context(|| self.name.clone()).map(drop)
    }
}

/// Generates the clients of every language. Of those whose tools are missing, there is a sentence instead.
pub fn generate() -> Result<Vec<Result<Client, String>>> {
    let mut clients = Vec::new();
    for (name, source) in languages(FOLDER, &[])? {
        let mut plan = Plan::read(&source)?;
        plan.checks.retain(|check| !check.repeat.is_empty());
        if !plan.checks.is_empty() {
            clients.extend(of_language(&plan, &source, &name)?);
        }
    }
    Ok(clients)
}

fn of_language(plan: &Plan, source: &Path, name: &str) -> Result<Vec<Result<Client, String>>> {
    let left_out = |name: &str, command: &str| format!("{name} is left out, since `{command}` fails.");
    if let Some(missing) = missing(&plan.needs) {
        return Ok(vec![Err(left_out(&plan.language, missing))]);
    }
    let openapi = root().join("openapi");
    let workdir = Rc::new(Workdir::prepare(plan, source, &openapi, root().join("target/interop").join(name))?);
    let mut clients = Vec::new();
    for check in &plan.checks {
        let name = format!("{}: {}", plan.language, check.name);
        if let Some(missing) = missing(&check.needs) {
            clients.push(Err(left_out(&name, missing)));
            continue;
        }
        let generating = check.run.split_last().map(|(_, generating)| generating).unwrap_or_default();
        let (command, building) = check.repeat.split_last().context("there is no command")?;
        for command in generating.iter().chain(building) {
            workdir.run(command, &[]).with_context(|| name.clone())?;
        }
        clients.push(Ok(Client { name, workdir: workdir.clone(), command: command.clone() }));
    }
    Ok(clients)
}
