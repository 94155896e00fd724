//! The files that are generated from the document.

mod collections;
pub mod documents;
mod files;
#[path = "../../../codegen/prepare.rs"]
mod prepare;
mod readme;
mod schemas;
mod vectors;

use std::fs;

use anyhow::{Result, anyhow};
use business_data_connector_document::{Document, Violations};

use crate::workspace::{DOCUMENT, read, root};
pub use files::Artefacts;

/// The folders that contain generated files only.
pub const FOLDERS: [&str; 2] = [schemas::FOLDER, vectors::FOLDER];

/// Parses the document, and refuses what the build script of the library refuses.
pub fn document() -> Result<Document> {
    parsed(&read(DOCUMENT)?).map_err(|violations| anyhow!("{}", violations.in_file(DOCUMENT)))
}

/// The same for any text.
pub fn parsed(text: &str) -> Result<Document, Violations> {
    let document = Document::parse(text)?;
    prepare::prepared(&document)?;
    Ok(document)
}

/// The generated files that are copies of the document in another form.
pub const COPIES: [&str; 2] = [documents::JSON, documents::DEPLOYED];

/// Generates every file, in memory.
pub fn make() -> Result<Artefacts> {
    of(&document()?)
}

/// Generates every file of a document, in memory.
pub fn of(document: &Document) -> Result<Artefacts> {
    let mut artefacts = schemas::artefacts(document)?;
    artefacts.extend(vectors::artefacts(document)?);
    artefacts.extend(documents::artefacts(document)?);
    artefacts.extend(collections::artefacts(document)?);
    for path in readme::PATHS {
        artefacts.insert(path.to_owned(), readme::with_table(path, &read(path)?, document)?);
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
