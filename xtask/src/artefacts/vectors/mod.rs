//! Conformance vectors: request bodies and callbacks, and whether each is valid. Whether it is follows from the way in
//! which it was generated, not from a validator, so that validators can be tested with them.

mod body;
mod callbacks;
mod vector;

use anyhow::Result;
use business_data_connector_document::{Document, Operation, schema_file};
use serde::Serialize;

use super::files::{Artefacts, json};
use body::{Body, Maker};
use vector::{NUMBERS, UNICODE, Vector};

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
        add(Some(operation.id.clone()), &operation.id, &operation.request, of_operation(document, operation))?;
    }
    if let Some(envelope) = document.callback_envelope() {
        add(None, "callback", envelope, callbacks::vectors(document, envelope))?;
    }
    artefacts.insert(format!("{FOLDER}/index.json"), json(&index)?);
    Ok(artefacts)
}

fn of_operation(document: &Document, operation: &Operation) -> Vec<Vector> {
    let maker = Maker::new(document);
    let full = maker.full(&operation.request);
    let mut vectors = Vec::new();
    let mut add = |valid, why: String, body| {
        vectors.push(Vector { operation: operation.id.clone(), why, valid, body });
    };

    add(true, "only what is required".to_owned(), maker.minimal(&operation.request));
    add(true, "every field".to_owned(), full.clone());
    add(
        true,
        "an unknown field, which the interface does not forbid".to_owned(),
        full.with(&["x-unknown"], Body::text("?")),
    );
    if let Some(unicode) = maker.everywhere(&operation.request, "string", &Body::raw(UNICODE)) {
        add(true, "text of all kinds in every field that is open to it".to_owned(), unicode);
    }
    let empty = maker.everywhere(&operation.request, "string", &Body::text(""));
    if let Some(empty) = empty {
        add(true, "empty text in every field that is open to it".to_owned(), empty);
    }
    for number in NUMBERS {
        if let Some(body) = maker.everywhere(&operation.request, "number", &Body::raw(number)) {
            add(true, format!("{number} for every number"), body);
        }
    }
    if let Some(body) = maker.everywhere(&operation.request, "array", &Body::Array(Vec::new())) {
        add(true, "empty lists".to_owned(), body);
    }

    for field in &operation.required {
        add(false, format!("`{field}` is missing"), full.without(&[field]));
    }
    for inner in full.paths().iter().filter(|inner| !inner.is_empty()) {
        let path: Vec<_> = inner.iter().map(String::as_str).collect();
        let name = path.join(".");
        let property = maker.property(&operation.request, &path);
        if property.required && path.len() > 1 {
            add(false, format!("`{name}` is missing"), full.without(&path));
        }
        add(property.nullable, format!("`{name}` is null"), full.with(&path, Body::raw("null")));
        let wrong = if property.is_text { Body::raw("5") } else { Body::text("5") };
        add(false, format!("`{name}` is of the wrong type"), full.with(&path, wrong));
        if property.is_object {
            let more = [&path[..], &["x-unknown"]].concat();
            add(true, format!("an unknown field in `{name}`"), full.with(&more, Body::text("?")));
        }
    }
    add(false, "not an object".to_owned(), Body::Array(vec![full]));
    vectors
}
