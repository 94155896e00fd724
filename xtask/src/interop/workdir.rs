//! A folder below `target/` in which a language is tested, so that the source tree stays clean.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use super::plan::Plan;
use crate::command::succeeds;

/// The copy of `openapi/` in the folder. Some tools interpret a path as a pattern, and the original may be anywhere.
const OPENAPI: &str = "openapi";

pub struct Workdir {
    folder: PathBuf,
    /// The path of the copy of `openapi/` in it.
    pub openapi: String,
}

/// What is installed, stored in a file beside the folder.
#[derive(Serialize, Deserialize, PartialEq)]
struct Installed {
    /// The commands, and the contents of the lock files.
    after: Vec<String>,
    /// The names of the files and folders that were created.
    made: Vec<String>,
}

impl Workdir {
    /// Copies the source and `openapi/`, installs the tools unless they are up to date, and removes files of earlier
    /// runs.
    pub fn prepare(plan: &Plan, source: &Path, openapi: &Path, folder: PathBuf) -> Result<Self> {
        let mut after = plan.install.clone();
        for lock in &plan.locks {
            let lock = source.join(lock);
            after.push(fs::read_to_string(&lock).with_context(|| format!("cannot read {}", lock.display()))?);
        }
        let note = folder.with_extension("json");
        let installed = fs::read(&note).ok().and_then(|text| serde_json::from_slice::<Installed>(&text).ok());
        let installed = installed.filter(|installed| installed.after == after);
        fs::create_dir_all(&folder)?;
        for name in names(&folder)? {
            if !installed.as_ref().is_some_and(|installed| installed.made.contains(&name)) {
                remove(&folder.join(name))?;
            }
        }
        copy(source, &folder)?;
        let copied = folder.join(OPENAPI);
        fs::create_dir_all(&copied)?;
        copy(openapi, &copied)?;
        let workdir = Self { openapi: copied.to_string_lossy().into_owned(), folder };
        if installed.is_none() {
            // An interrupted installation is started again.
            let _ = fs::remove_file(&note);
            println!("{}: installing", plan.language);
            let before = names(&workdir.folder)?;
            for command in &plan.install {
                // A registry may be temporarily unavailable.
                workdir.run(command, &[]).or_else(|_| workdir.run(command, &[]))?;
            }
            let made = names(&workdir.folder)?.into_iter().filter(|name| !before.contains(name)).collect();
            fs::write(&note, serde_json::to_vec_pretty(&Installed { after, made })?)?;
        }
        Ok(workdir)
    }

    /// Runs a command and returns its output; the error contains the output too.
    pub fn run(&self, command: &str, variables: &[(&str, &str)]) -> Result<String> {
        let output = self.command(command, variables)?.output().with_context(|| format!("cannot run `{command}`"))?;
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        if !output.status.success() {
            bail!("`{command}` failed with {}\n{printed}{}", output.status, String::from_utf8_lossy(&output.stderr));
        }
        Ok(printed)
    }

    /// Starts a command, whose output is read through a pipe.
    pub fn start(&self, command: &str, variable: (&str, &str)) -> Result<Child> {
        let started = self.command(command, &[variable])?.stdout(Stdio::piped()).spawn();
        started.with_context(|| format!("cannot run `{command}`"))
    }

    fn command(&self, command: &str, variables: &[(&str, &str)]) -> Result<Command> {
        let variables = || [("BDC_OPENAPI", self.openapi.as_str())].into_iter().chain(variables.iter().copied());
        let mut words = shell_words::split(command).with_context(|| format!("`{command}` is not a valid command"))?;
        for (name, value) in variables() {
            words.iter_mut().for_each(|word| *word = word.replace(&format!("${name}"), value));
        }
        let (program, arguments) = words.split_first().context("a command is empty")?;
        let mut command = Command::new(program);
        command.args(arguments).current_dir(&self.folder).envs(variables()).stdin(Stdio::null());
        Ok(command)
    }
}

/// The first of the commands that fails.
pub fn missing(commands: &[String]) -> Option<&String> {
    let runs = |command: &String| match shell_words::split(command).unwrap_or_default().split_first() {
        Some((program, arguments)) => succeeds(program, arguments),
        None => false,
    };
    commands.iter().find(|command| !runs(command))
}

fn names(folder: &Path) -> Result<Vec<String>> {
    fs::read_dir(folder)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
}

fn remove(path: &Path) -> Result<()> {
    let is_folder = path.symlink_metadata()?.is_dir();
    if is_folder { fs::remove_dir_all(path) } else { fs::remove_file(path) }
        .with_context(|| format!("cannot remove {}", path.display()))
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    for name in names(from)? {
        let (source, target) = (from.join(&name), to.join(&name));
        if source.is_dir() {
            fs::create_dir_all(&target)?;
            copy(&source, &target)?;
        } else {
            fs::copy(&source, &target).with_context(|| format!("cannot copy {}", source.display()))?;
        }
    }
    Ok(())
}
