//! JSON Schemas for teams that use other languages: one per request, record, callback and shape of `response`, one with
//! every type, and an index.

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
    /// The schemas that requests consist of besides their own.
    records: BTreeMap<&'a str, String>,
    callbacks: Callbacks<'a>,
}

#[derive(Serialize)]
struct Callbacks<'a> {
    /// The schema of what is sent to a `webhook`, or null if nothing is.
    schema: Option<String>,
    vectors: &'static str,
    /// The schemas that it and the known shapes of its `response` consist of, unless they are in `records` too.
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
    /// Whether its purpose is to remove, end or overwrite something.
    destructive: bool,
    asynchronous: bool,
    evidence: &'static str,
    schema: String,
    vectors: String,
    /// The schema that `response` in its callbacks is known to have, or null for an operation without a `webhook`.
    callback: Option<String>,
}

impl<'a> Index<'a> {
    fn of(document: &'a Document) -> Self {
        let operations = document.operations();
        let requests: Vec<_> = operations.iter().map(|operation| operation.request.as_str()).collect();
        let (callbacks, envelope) = (document.callback_components(), document.callback_envelope());
        let (received, sent): (Vec<_>, Vec<_>) = document
            .components()
            .into_iter()
            .filter(|component| !requests.contains(component) && Some(*component) != envelope)
            .partition(|component| callbacks.contains(component) && !document.request_components().contains(component));
        let files = |names: Vec<&'a str>| names.into_iter().map(|name| (name, schema_file(name))).collect();
        Self {
            document: "connector.yaml",
            version: document.as_value()["info"]["version"].as_str().unwrap_or_default(),
            dialect: DIALECT,
            base: SCHEMA_BASE,
            types: REQUESTS_FILE,
            operations: operations.iter().map(|operation| (operation.id.as_str(), Entry::of(operation))).collect(),
            records: files(sent),
            callbacks: Callbacks {
                schema: envelope.map(schema_file),
                vectors: "../vectors/callback.json",
                records: files(received),
            },
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
            destructive: operation.destructive,
            asynchronous: operation.asynchronous,
            evidence: match operation.evidence {
                Evidence::Specified => "specified",
                Evidence::Observed => "observed",
                Evidence::Assumed => "assumed",
            },
            schema: schema_file(&operation.request),
            vectors: format!("../vectors/{}.json", operation.id),
            callback: operation.callback.as_deref().map(schema_file),
        }
    }
}
