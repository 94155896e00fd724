//! Where the secrets of a request are.

use serde_json::Value;

use crate::{BODY_CREDENTIALS, referred};

/// The paths of the properties that have an `x-sensitive`, sorted, without the credentials of the body.
pub(crate) fn paths(document: &Value, schema: &Value) -> Vec<String> {
    let mut found = Vec::new();
    collect(document, schema, "", &mut found);
    found.retain(|path| !BODY_CREDENTIALS.contains(&path.as_str()));
    found.sort();
    found
}

/// Schemas have no cycles: see `check/cycles.rs`.
fn collect(document: &Value, schema: &Value, path: &str, found: &mut Vec<String>) {
    if schema.get("x-sensitive").is_some() {
        found.push(path.to_owned());
    }
    if let Some(name) = referred(schema) {
        collect(document, &document["components"]["schemas"][name], path, found);
    }
    for part in schema["allOf"].as_array().into_iter().flatten() {
        collect(document, part, path, found);
    }
    if let Some(items) = schema.get("items") {
        collect(document, items, &format!("{path}[]"), found);
    }
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        collect(document, property, &path, found);
    }
}
