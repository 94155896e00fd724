//! A copy of the workspace, in which tests change files and run tasks.

#![allow(dead_code)]

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use tempfile::TempDir;

/// What `check` says first.
pub const COMPARING: &str = "comparing the files that openapi/connector.yaml generates, and the snapshots\n";

/// The output of `regen` where there is nothing to do: its report, then what it says on standard error.
pub const NOTHING_CHANGED: &str =
    "nothing changed\ngenerating the files and tables of operations that openapi/connector.yaml determines\n";

pub type TestResult = Result<(), Box<dyn std::error::Error>>;

/// A copy of the workspace.
pub struct Workspace {
    folder: PathBuf,
    /// Removes a temporary folder.
    _temporary: Option<TempDir>,
}

impl Workspace {
    /// A copy in a temporary folder.
    pub fn copied() -> io::Result<Self> {
        let folder = TempDir::new()?;
        copy(&original(), folder.path())?;
        Ok(Self { folder: folder.path().to_owned(), _temporary: Some(folder) })
    }

    /// A copy in which cargo runs. Its folder is always the same, so that build output is reused; only one test at a
    /// time may use it.
    pub fn built() -> io::Result<Self> {
        let folder = original().join("target/proof/workspace");
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        copy(&original(), &folder)?;
        Ok(Self { folder: folder.canonicalize()?, _temporary: None })
    }

    /// A copy in a temporary folder that is a git repository, with everything committed.
    pub fn committed() -> Result<Self, Box<dyn std::error::Error>> {
        let workspace = Self::copied()?;
        for arguments in [
            &["init", "--quiet", "--initial-branch=main"][..],
            &["add", "--all"],
            &["commit", "--quiet", "--message=all"],
        ] {
            workspace.git(arguments)?;
        }
        Ok(workspace)
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.folder.join(path)
    }

    pub fn read(&self, path: &str) -> io::Result<String> {
        fs::read_to_string(self.path(path))
    }

    pub fn write(&self, path: &str, text: &str) -> io::Result<()> {
        fs::write(self.path(path), text)
    }

    /// Replaces the first occurrence of a text, which must exist.
    pub fn edit(&self, path: &str, from: &str, to: &str) -> io::Result<()> {
        let text = self.read(path)?;
        assert!(text.contains(from), "{from:?} is not in {path}");
        self.write(path, &text.replacen(from, to, 1))
    }

    pub fn git(&self, arguments: &[&str]) -> Result<(), Box<dyn std::error::Error>> {
        self.git_output(arguments).map(drop)
    }

    /// What a git command prints.
    pub fn git_output(&self, arguments: &[&str]) -> Result<String, Box<dyn std::error::Error>> {
        let identity = ["-c", "user.name=test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"];
        let mut git = Command::new("git");
        git.args(identity).args(arguments).current_dir(&self.folder);
        let output = without_hook(&mut git).output()?;
        if output.status.success() {
            return Ok(String::from_utf8(output.stdout)?);
        }
        Err(String::from_utf8(output.stderr)?.into())
    }

    /// Runs a task in the copy. Returns whether it succeeded, and its output.
    pub fn xtask(&self, arguments: &[&str]) -> io::Result<(bool, String)> {
        // Not in the root, because tasks must work in any folder of the workspace.
        let mut xtask = Command::new(env!("CARGO_BIN_EXE_xtask"));
        xtask.args(arguments).current_dir(self.path("src")).env("LC_ALL", "tr_TR.UTF-8");
        let output = without_hook(&mut xtask).output()?;
        Ok((output.status.success(), output_of(&output)))
    }

    /// Runs cargo in the copy. Returns whether it succeeded, and its output.
    ///
    /// It has a target folder of its own, because cargo does not distinguish workspaces that share one, and would
    /// consider the build output of one up to date for the other.
    pub fn cargo(&self, arguments: &[&str]) -> io::Result<(bool, String)> {
        let output = Command::new(env!("CARGO"))
            .args(arguments)
            .current_dir(&self.folder)
            .env("CARGO_TARGET_DIR", self.path("../target"))
            .output()?;
        Ok((output.status.success(), output_of(&output)))
    }

    /// The contents of all files except for the document.
    pub fn everything_else(&self) -> io::Result<Vec<(PathBuf, Vec<u8>)>> {
        let mut files = Vec::new();
        collect(&self.folder, &mut files)?;
        files.retain(|(path, _)| !path.ends_with("openapi/connector.yaml"));
        files.sort();
        Ok(files)
    }
}

/// Removes variables that git sets for hooks, and with which it would use the original repository instead of the copy.
fn without_hook(command: &mut Command) -> &mut Command {
    ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"]
        .iter()
        .fold(command, |command, variable| command.env_remove(variable))
}

fn output_of(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

fn original() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        let name = entry.file_name();
        match entry.file_type()?.is_dir() {
            _ if name.to_string_lossy().ends_with(".snap.new") => {}
            // In a linked worktree, `.git` is a file, and git in the copy would change the original repository.
            _ if name == ".git" => {}
            true if name == "target" => {}
            true => copy(&entry.path(), &target)?,
            false => _ = fs::copy(entry.path(), &target)?,
        }
    }
    Ok(())
}

fn collect(folder: &Path, into: &mut Vec<(PathBuf, Vec<u8>)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        match path.is_dir() {
            true => collect(&path, into)?,
            false => into.push((path.clone(), fs::read(&path)?)),
        }
    }
    Ok(())
}
