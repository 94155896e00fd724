//! Every file that is made from the document, with its text.

use std::{collections::BTreeMap, fs};

use anyhow::{Context, Result, anyhow};
use business_data_connector_document::Document;
use serde::Serialize;

use crate::{readme, root, schemas, vectors};

/// The document that everything is made from.
pub const DOCUMENT: &str = "openapi/connector.yaml";

/// The folders in which every file is an artefact.
pub const FOLDERS: [&str; 2] = [schemas::FOLDER, vectors::FOLDER];

/// Path, with slashes, to text.
pub type Artefacts = BTreeMap<String, String>;

/// The document, or everything that is wrong with it.
pub fn document() -> Result<Document> {
    Document::parse(&read(DOCUMENT)?).map_err(|faults| {
        let lines: Vec<_> = faults.iter().map(|fault| format!("{DOCUMENT}: {fault}")).collect();
        anyhow!("{}", lines.join("\n"))
    })
}

/// Makes every artefact, in memory.
pub fn make() -> Result<Artefacts> {
    let document = document()?;
    let mut artefacts = schemas::artefacts(&document)?;
    artefacts.extend(vectors::artefacts(&document)?);
    for path in readme::PATHS {
        artefacts.insert(path.to_owned(), readme::with_table(path, &read(path)?, &document)?);
    }
    Ok(artefacts)
}

/// A file's text with line ends as in the repository, however it was checked out.
pub fn read(path: &str) -> Result<String> {
    let text = fs::read_to_string(root().join(path)).with_context(|| format!("cannot read {path}"))?;
    Ok(text.replace("\r\n", "\n"))
}

/// What is in the artefacts' folders and is none.
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

/// JSON as it stands in a file.
pub fn json(value: &impl Serialize) -> Result<String> {
    Ok(serde_json::to_string_pretty(value)? + "\n")
}
