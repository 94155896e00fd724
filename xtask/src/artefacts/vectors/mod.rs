//! Conformance vectors: request bodies, and whether each is valid for its operation. Whether it is follows from the way
//! in which it was generated, not from a validator, so that validators can be tested with them.

mod body;

use anyhow::Result;
use business_data_connector_document::{Document, Operation};
use serde::Serialize;

use super::files::{Artefacts, json};
use body::{Body, Maker};

/// The folder of the vectors.
pub const FOLDER: &str = "openapi/vectors";

#[derive(Serialize)]
struct Vector {
    operation: String,
    why: String,
    valid: bool,
    body: Body,
}

/// An entry of the index.
#[derive(Serialize)]
struct Entry {
    operation: String,
    file: String,
    schema: String,
    valid: usize,
    invalid: usize,
}

/// One file per operation, and `index.json`.
pub fn artefacts(document: &Document) -> Result<Artefacts> {
    let (mut artefacts, mut index) = (Artefacts::new(), Vec::new());
    for operation in document.operations() {
        let vectors = of_operation(document, operation);
        let valid = vectors.iter().filter(|vector| vector.valid).count();
        let file = format!("{}.json", operation.id);
        artefacts.insert(format!("{FOLDER}/{file}"), json(&vectors)?);
        index.push(Entry {
            operation: operation.id.clone(),
            file,
            schema: format!("../schemas/{}", business_data_connector_document::schema_file(&operation.request)),
            valid,
            invalid: vectors.len() - valid,
        });
    }
    artefacts.insert(format!("{FOLDER}/index.json"), json(&index)?);
    Ok(artefacts)
}

/// A JSON string that is easily corrupted: composed and decomposed characters, surrogate pairs, right to left, escapes.
const UNICODE: &str = r#""Zoë e\u0301 山田 🦁 \ud83e\udd81 שלום \u200f\"\\\/\b\u007f\u2028""#;

/// Numbers at the limits of exactness: of a 32-bit float, a double and a decimal with 28 digits, and near zero.
const NUMBERS: [&str; 10] = [
    "0",
    "-0.01",
    "19.99",
    "1234567.89",
    "0.10",
    "1e-7",
    "9007199254740993.01",
    "79228162514264337593543950335",
    "-79228162514264337593543950335",
    "0.0000000000000000000000000001",
];

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
