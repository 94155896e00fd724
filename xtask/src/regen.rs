//! `regen`: writes the generated files.

use std::{fs, io::Write};

use anyhow::{Context, Result};

use crate::{
    artefacts,
    check::NEXT,
    workspace::{DOCUMENT, read, root},
};

/// Writes generated files that differ, and removes those that are no longer generated. Snapshots are left for review.
pub fn run() -> Result<()> {
    eprintln!("generating the files and tables of operations that {DOCUMENT} determines");
    let artefacts = artefacts::make()?;
    let mut report = String::new();
    for (path, text) in &artefacts {
        let present = read(path).ok();
        if present.as_ref() == Some(text) {
            continue;
        }
        let file = root().join(path);
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
        }
        fs::write(file, text).with_context(|| format!("cannot write {path}"))?;
        report += &format!("{} {path}\n", if present.is_some() { "changed" } else { "added" });
    }
    for path in artefacts::orphans(&artefacts)? {
        let file = root().join(&path);
        let removed = if file.is_dir() { fs::remove_dir_all(file) } else { fs::remove_file(file) };
        removed.with_context(|| format!("cannot remove {path}"))?;
        report += &format!("removed {path}\n");
    }
    if report.is_empty() {
        report += "nothing changed\n";
    } else {
        report += &format!("next: {NEXT}\n");
    }
    // All files are written; that nobody reads the output any more is not an error.
    let _ = std::io::stdout().write_all(report.as_bytes());
    Ok(())
}
