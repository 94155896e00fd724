//! Conformance vectors: request bodies and callbacks, and whether each is valid. Whether it is follows from the way in
//! which it was generated, not from a validator, so that validators can be tested with them.

mod body;
mod callbacks;
mod examples;
mod fields;
mod requests;
mod vector;

use anyhow::Result;
use business_data_connector_document::{Document, schema_file};
use serde::Serialize;

use super::files::{Artefacts, json};
pub use body::{Body, Maker};
pub use examples::{Example, of_callback, of_request};
use vector::Vector;

/// The folder of the vectors.
pub const FOLDER: &str = "openapi/vectors";

/// An entry of the index.
#[derive(Serialize)]
struct Entry {
    /// The operation that the bodies are requests of, or null for callbacks.
    operation: Option<String>,
    file: String,
    schema: String,
    valid: usize,
    invalid: usize,
}

/// One file per operation, one for callbacks, and `index.json`.
pub fn artefacts(document: &Document) -> Result<Artefacts> {
    let (mut artefacts, mut index) = (Artefacts::new(), Vec::new());
    let mut add = |operation: Option<String>, name: &str, component: &str, vectors: Vec<Vector>| -> Result<()> {
        let valid = vectors.iter().filter(|vector| vector.valid).count();
        let file = format!("{name}.json");
        artefacts.insert(format!("{FOLDER}/{file}"), json(&vectors)?);
        let schema = format!("../schemas/{}", schema_file(component));
        index.push(Entry { operation, file, schema, valid, invalid: vectors.len() - valid });
        Ok(())
    };
    for operation in document.operations() {
        add(Some(operation.id.clone()), &operation.id, &operation.request, requests::vectors(document, operation))?;
    }
    if let Some(envelope) = document.callback_envelope() {
        add(None, "callback", envelope, callbacks::vectors(document, envelope))?;
    }
    artefacts.insert(format!("{FOLDER}/index.json"), json(&index)?);
    Ok(artefacts)
}
