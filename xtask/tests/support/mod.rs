//! A copy of the workspace, to change and to run the chores in.

#![allow(dead_code)]

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use tempfile::TempDir;

pub type Outcome = Result<(), Box<dyn std::error::Error>>;

/// A copy of the workspace in a folder of its own.
pub struct Workspace {
    folder: PathBuf,
    /// Removes a temporary folder.
    _temporary: Option<TempDir>,
}

impl Workspace {
    pub fn copied() -> io::Result<Self> {
        let folder = TempDir::new()?;
        copy(&original(), folder.path())?;
        Ok(Self { folder: folder.path().to_owned(), _temporary: Some(folder) })
    }

    /// A copy that cargo is run in. It is always in the same place, so that what was built for it serves again; one test at
    /// a time has it.
    pub fn built() -> io::Result<Self> {
        let folder = original().join("target/proof/workspace");
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        copy(&original(), &folder)?;
        Ok(Self { folder: folder.canonicalize()?, _temporary: None })
    }

    /// The same, under git, with everything committed.
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

    /// Replaces something once, which must be there.
    pub fn edit(&self, path: &str, from: &str, to: &str) -> io::Result<()> {
        let text = self.read(path)?;
        assert!(text.contains(from), "{from:?} is not in {path}");
        self.write(path, &text.replacen(from, to, 1))
    }

    pub fn git(&self, arguments: &[&str]) -> Result<(), Box<dyn std::error::Error>> {
        let identity = ["-c", "user.name=test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"];
        let mut git = Command::new("git");
        git.args(identity).args(arguments).current_dir(&self.folder);
        let output = apart(&mut git).output()?;
        if output.status.success() { Ok(()) } else { Err(String::from_utf8(output.stderr)?.into()) }
    }

    /// Runs a chore in the copy. What it prints, and whether it succeeded.
    pub fn xtask(&self, arguments: &[&str]) -> io::Result<(bool, String)> {
        // Below the root, to show that the folder makes no difference.
        let mut xtask = Command::new(env!("CARGO_BIN_EXE_xtask"));
        xtask.args(arguments).current_dir(self.path("src")).env("LC_ALL", "tr_TR.UTF-8");
        let output = apart(&mut xtask).output()?;
        Ok((output.status.success(), said(&output)))
    }

    /// Runs cargo in the copy.
    ///
    /// It has a target folder of its own: cargo tells workspaces in different places apart by nothing in there, and would
    /// take what was built for one as fresh for the other.
    pub fn cargo(&self, arguments: &[&str]) -> io::Result<(bool, String)> {
        let output = Command::new(env!("CARGO"))
            .args(arguments)
            .current_dir(&self.folder)
            .env("CARGO_TARGET_DIR", self.path("../target"))
            .output()?;
        Ok((output.status.success(), said(&output)))
    }

    /// Every file but the document, with its bytes.
    pub fn everything_else(&self) -> io::Result<Vec<(PathBuf, Vec<u8>)>> {
        let mut files = Vec::new();
        collect(&self.folder, &mut files)?;
        files.retain(|(path, _)| !path.ends_with("openapi/connector.yaml"));
        files.sort();
        Ok(files)
    }
}

/// A hook's git would find the repository that it runs for, and not the copy.
fn apart(command: &mut Command) -> &mut Command {
    ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"]
        .iter()
        .fold(command, |command, variable| command.env_remove(variable))
}

fn said(output: &Output) -> String {
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
        match entry.file_type()?.is_dir() {
            _ if entry.file_name().to_string_lossy().ends_with(".snap.new") => {}
            true if ["target", ".git"].iter().any(|left| entry.file_name() == *left) => {}
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
