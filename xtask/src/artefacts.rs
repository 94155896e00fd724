//! Every file that is made from the document, with its text.

use std::{collections::BTreeMap, fs};

use anyhow::{Context, Result, anyhow};
use business_data_connector_document::Document;

use crate::{readme, root};

const DOCUMENT: &str = "openapi/connector.yaml";

/// Relative path to text.
pub type Artefacts = BTreeMap<String, String>;

/// Makes every artefact, in memory.
pub fn make() -> Result<Artefacts> {
    let text = fs::read_to_string(root().join(DOCUMENT)).with_context(|| format!("cannot read {DOCUMENT}"))?;
    let document = Document::parse(&text).map_err(|faults| {
        let lines: Vec<_> = faults.iter().map(|fault| format!("{DOCUMENT}: {fault}")).collect();
        anyhow!("{}", lines.join("\n"))
    })?;
    Ok(BTreeMap::from([(readme::PATH.to_owned(), readme::with_table(&read(readme::PATH)?, &document)?)]))
}

/// A file's text with line ends as in the repository, however it was checked out.
pub fn read(path: &str) -> Result<String> {
    let text = fs::read_to_string(root().join(path)).with_context(|| format!("cannot read {path}"))?;
    Ok(text.replace("\r\n", "\n"))
}
