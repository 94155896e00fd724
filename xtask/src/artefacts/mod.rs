//! The files that are generated from the document.

mod collections;
pub mod documents;
mod files;
mod readme;
mod schemas;
mod vectors;

use std::fs;

use anyhow::{Result, anyhow};
use business_data_connector_document::Document;

use crate::workspace::{DOCUMENT, read, root};
pub use files::Artefacts;

/// The folders that contain generated files only.
pub const FOLDERS: [&str; 2] = [schemas::FOLDER, vectors::FOLDER];

/// Parses the document.
pub fn document() -> Result<Document> {
    Document::parse(&read(DOCUMENT)?).map_err(|violations| anyhow!("{}", violations.in_file(DOCUMENT)))
}

/// Generates every file, in memory.
pub fn make() -> Result<Artefacts> {
    let document = document()?;
    let mut artefacts = schemas::artefacts(&document)?;
    artefacts.extend(vectors::artefacts(&document)?);
    artefacts.extend(documents::artefacts(&document)?);
    artefacts.extend(collections::artefacts(&document)?);
    for path in readme::PATHS {
        artefacts.insert(path.to_owned(), readme::with_table(path, &read(path)?, &document)?);
    }
    Ok(artefacts)
}

/// Files in the generated folders that the document no longer accounts for.
pub fn orphans(artefacts: &Artefacts) -> Result<Vec<String>> {
    let mut orphans = Vec::new();
    for folder in FOLDERS {
        let Ok(entries) = fs::read_dir(root().join(folder)) else { continue };
        for entry in entries {
            let path = format!("{folder}/{}", entry?.file_name().to_string_lossy());
            if !artefacts.contains_key(&path) {
                orphans.push(path);
            }
        }
    }
    orphans.sort();
    Ok(orphans)
}
