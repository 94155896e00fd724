//! Vectors of the request of an operation.

use business_data_connector_document::{Document, Operation};

use super::{
    body::{Body, Maker},
    fields::of_field,
    vector::{FULL, MINIMAL, NUMBERS, UNICODE, Vector},
};

/// Bodies with values that are easily corrupted, and with each field in turn missing, null, or of another type.
pub fn vectors(document: &Document, operation: &Operation) -> Vec<Vector> {
    let maker = Maker::new(document);
    let full = maker.full(&operation.request);
    let mut vectors = Vec::new();
    let mut add = |valid, why: String, body| {
        vectors.push(Vector { operation: operation.id.clone(), why, valid, body });
    };

    add(true, MINIMAL.to_owned(), maker.minimal(&operation.request));
    add(true, FULL.to_owned(), full.clone());
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
        for (valid, why, body) in of_field(&full, &path, &property) {
            add(valid, why, body);
        }
    }
    add(false, "not an object".to_owned(), Body::Array(vec![full]));
    vectors
}
