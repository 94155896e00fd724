//! JSON Schemas for teams that use other languages: one per request and record, one with every type, and an index.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use business_data_connector_document::{
    DIALECT, Document, Evidence, Operation, REQUESTS_FILE, SCHEMA_BASE, schema_file,
};
use serde::Serialize;

use super::files::{Artefacts, json};

/// The folder of the schemas.
pub const FOLDER: &str = "openapi/schemas";

/// All schema files and `index.json`.
pub fn artefacts(document: &Document) -> Result<Artefacts> {
    let mut artefacts = Artefacts::new();
    for component in document.components() {
        let schema =
            document.json_schema(component).with_context(|| format!("{component} cannot be converted to a schema"))?;
        artefacts.insert(format!("{FOLDER}/{}", schema_file(component)), json(&schema)?);
    }
    let requests = document.requests_schema().context("a component cannot be converted to a schema")?;
    artefacts.insert(format!("{FOLDER}/{REQUESTS_FILE}"), json(&requests)?);
    artefacts.insert(format!("{FOLDER}/index.json"), json(&Index::of(document))?);
    Ok(artefacts)
}

#[derive(Serialize)]
struct Index<'a> {
    document: &'static str,
    version: &'a str,
    dialect: &'static str,
    /// The prefix of every `$id`.
    base: &'static str,
    /// The file that contains every type once.
    types: &'static str,
    operations: BTreeMap<&'a str, Entry<'a>>,
    records: BTreeMap<&'a str, String>,
}

#[derive(Serialize)]
struct Entry<'a> {
    method: &'static str,
    path: &'a str,
    tag: &'a str,
    summary: &'a str,
    /// The header with a credential, or null.
    header: Option<&'a str>,
    effect: &'static str,
    asynchronous: bool,
    evidence: &'static str,
    schema: String,
    vectors: String,
}

impl<'a> Index<'a> {
    fn of(document: &'a Document) -> Self {
        let operations = document.operations();
        let requests: Vec<_> = operations.iter().map(|operation| operation.request.as_str()).collect();
        let records = document.components().into_iter().filter(|component| !requests.contains(component));
        Self {
            document: "connector.yaml",
            version: document.as_value()["info"]["version"].as_str().unwrap_or_default(),
            dialect: DIALECT,
            base: SCHEMA_BASE,
            types: REQUESTS_FILE,
            operations: operations.iter().map(|operation| (operation.id.as_str(), Entry::of(operation))).collect(),
            records: records.map(|component| (component, schema_file(component))).collect(),
        }
    }
}

impl<'a> Entry<'a> {
    fn of(operation: &'a Operation) -> Self {
        Self {
            method: "POST",
            path: &operation.path,
            tag: &operation.tag,
            summary: &operation.summary,
            header: operation.header_key.as_deref(),
            effect: operation.effect.as_str(),
            asynchronous: operation.asynchronous,
            evidence: match operation.evidence {
                Evidence::Specified => "specified",
                Evidence::Observed => "observed",
                Evidence::Assumed => "assumed",
            },
            schema: schema_file(&operation.request),
            vectors: format!("../vectors/{}.json", operation.id),
        }
    }
}
