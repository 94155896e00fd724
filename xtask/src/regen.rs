use std::fs;

use anyhow::{Context, Result};

use crate::{artefacts, root};

pub fn run() -> Result<()> {
    let mut changed = false;
    for (path, text) in artefacts::make()? {
        if artefacts::read(&path).is_ok_and(|present| present == text) {
            continue;
        }
        fs::write(root().join(&path), text).with_context(|| format!("cannot write {path}"))?;
        println!("changed {path}");
        changed = true;
    }
    if !changed {
        println!("nothing changed");
    }
    Ok(())
}
