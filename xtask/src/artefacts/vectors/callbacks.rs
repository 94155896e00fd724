//! Vectors of callbacks. The verdict is that of the envelope's schema, which leaves `response` open.

use std::collections::BTreeMap;

use business_data_connector_document::{Document, Operation};

use super::{
    body::{Body, Maker},
    fields::of_field,
    vector::{FULL, NUMBERS, Vector},
};

/// The field of the envelope whose shape depends on the operation.
pub(super) const RESPONSE: &str = "response";

/// Vectors of the envelope, and of the known shape of `response` for each operation.
pub fn vectors(document: &Document, envelope: &str) -> Vec<Vector> {
    let maker = Maker::new(document);
    let mut vectors = Vec::new();
    // The operations by shape: the variants of a shape are generated once, for its first operation.
    let mut shapes: BTreeMap<&str, Vec<&Operation>> = BTreeMap::new();
    for operation in document.operations() {
        if let Some(shape) = &operation.callback {
            shapes.entry(shape).or_default().push(operation);
        }
    }
    for (shape, operations) in &shapes {
        for operation in operations {
            let body = callback(&maker, envelope, operation).with(&[RESPONSE], maker.full(shape));
            vectors.push(vector(operation, true, FULL.to_owned(), body));
        }
        if let Some(operation) = operations.first() {
            let body = callback(&maker, envelope, operation);
            let responses = responses(&maker, shape).into_iter();
            vectors.extend(
                responses.map(|(why, response)| vector(operation, true, why, body.with(&[RESPONSE], response))),
            );
        }
    }
    if let Some(operation) = document.operations().iter().find(|operation| operation.callback.is_some()) {
        let shape = operation.callback.as_deref().unwrap_or_default();
        let full = callback(&maker, envelope, operation).with(&[RESPONSE], maker.full(shape));
        vectors.extend(of_envelope(&maker, envelope, operation, &full));
    }
    vectors
}

/// The reasons are unique in the file, which has the callbacks of every operation.
fn vector(operation: &Operation, valid: bool, why: String, body: Body) -> Vector {
    Vector { operation: operation.id.clone(), why: format!("{}: {why}", operation.id), valid, body }
}

/// The callback of an operation as the document describes it, with the operation where its example names another.
pub(super) fn callback(maker: &Maker<'_>, envelope: &str, operation: &Operation) -> Body {
    let values = [(["received", "type"], operation.id.as_str()), (["received", "direction"], operation.tag.as_str())];
    let full = maker.full(envelope);
    let known = full.paths();
    let known = values.into_iter().filter(|(path, _)| known.iter().any(|known| known == path));
    known.fold(full.clone(), |body, (path, value)| body.with(&path, Body::text(value)))
}

/// Variants of a known shape of `response`. A receiver accepts each.
fn responses(maker: &Maker<'_>, shape: &str) -> Vec<(String, Body)> {
    let full = maker.full(shape);
    let mut responses = vec![
        ("no field in `response`".to_owned(), maker.minimal(shape)),
        ("an unknown field in `response`".to_owned(), full.with(&["x-unknown"], Body::text("?"))),
    ];
    for path in full.paths().iter().filter(|path| !path.is_empty()) {
        let path: Vec<_> = path.iter().map(String::as_str).collect();
        let (name, property) = (path.join("."), maker.property(shape, &path));
        if property.nullable {
            responses.push((format!("`response.{name}` is null"), full.with(&path, Body::raw("null"))));
        }
        // A failure (`error`), and an interim callback (`hardrefreshing`).
        if property.is_boolean {
            responses.push((format!("`response.{name}` is true"), full.with(&path, Body::raw("true"))));
        }
        if property.is_object {
            let more = [&path[..], &["x-unknown"]].concat();
            responses.push((format!("an unknown field in `response.{name}`"), full.with(&more, Body::text("?"))));
        }
    }
    for number in NUMBERS {
        if let Some(body) = maker.everywhere(shape, "number", &Body::raw(number)) {
            responses.push((format!("{number} for every number in `response`"), body));
        }
    }
    responses
}

/// Vectors of the fields beside `response`, and of a `response` that is of no known shape.
fn of_envelope(maker: &Maker<'_>, envelope: &str, operation: &Operation, full: &Body) -> Vec<Vector> {
    let mut vectors = Vec::new();
    let mut add = |valid, why: String, body| vectors.push(vector(operation, valid, why, body));
    add(true, "no field at all".to_owned(), maker.minimal(envelope));
    add(true, "an unknown field".to_owned(), full.with(&["x-unknown"], Body::text("?")));
    let tomorrow = r#"{"of":"tomorrow","amounts":[{"value":12345678901234567.10},{"value":null}]}"#;
    for response in [tomorrow, "null", "true", "19.99", "\"done\"", "[]", "[[1],{}]"] {
        add(true, format!("{response} as `response`"), full.with(&[RESPONSE], Body::raw(response)));
    }
    for path in full.paths().iter().filter(|path| path.first().is_some_and(|first| first != RESPONSE)) {
        let path: Vec<_> = path.iter().map(String::as_str).collect();
        let (name, property) = (path.join("."), maker.property(envelope, &path));
        add(true, format!("`{name}` is missing"), full.without(&path));
        for (valid, why, body) in of_field(full, &path, &property) {
            add(valid, why, body);
        }
    }
    add(false, "not an object".to_owned(), Body::Array(vec![full.clone()]));
    vectors
}
