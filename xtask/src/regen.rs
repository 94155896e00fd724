use std::{fs, io::Write};

use anyhow::{Context, Result};

use crate::{artefacts, root};

/// Writes what is not as the document says, and removes what no longer belongs. Snapshots are for a person to accept.
pub fn run() -> Result<()> {
    let artefacts = artefacts::make()?;
    let mut said = String::new();
    for (path, text) in &artefacts {
        let present = artefacts::read(path).ok();
        if present.as_ref() == Some(text) {
            continue;
        }
        let file = root().join(path);
        if let Some(folder) = file.parent() {
            fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        }
        fs::write(file, text).with_context(|| format!("cannot write {path}"))?;
        said += &format!("{} {path}\n", if present.is_some() { "changed" } else { "added" });
    }
    for path in artefacts::orphans(&artefacts)? {
        let file = root().join(&path);
        let removed = if file.is_dir() { fs::remove_dir_all(file) } else { fs::remove_file(file) };
        removed.with_context(|| format!("cannot remove {path}"))?;
        said += &format!("removed {path}\n");
    }
    if said.is_empty() {
        said += "nothing changed\n";
    }
    // Everything is written by now; whoever closed the output does not want to know.
    let _ = std::io::stdout().write_all(said.as_bytes());
    Ok(())
}
