//! Where the secrets of a request are.

use serde_json::Value;

use crate::{BODY_CREDENTIALS, referred};

/// The paths of the properties that have an `x-sensitive`, sorted, without the credentials of the body.
pub(crate) fn paths(document: &Value, schema: &Value) -> Vec<String> {
    let mut found = Vec::new();
    collect(document, schema, "", &mut Vec::new(), &mut found);
    found.retain(|path| !BODY_CREDENTIALS.contains(&path.as_str()));
    found.sort();
    found
}

/// `around` has the names of the schemas around this one: one that contains itself is reported by `check/cycles.rs`.
fn collect<'a>(document: &'a Value, schema: &'a Value, path: &str, around: &mut Vec<&'a str>, found: &mut Vec<String>) {
    if schema.get("x-sensitive").is_some() {
        found.push(path.to_owned());
    }
    if let Some(name) = referred(schema).filter(|name| !around.contains(name)) {
        around.push(name);
        collect(document, &document["components"]["schemas"][name], path, around, found);
        around.pop();
    }
    for part in schema["allOf"].as_array().into_iter().flatten() {
        collect(document, part, path, around, found);
    }
    if let Some(items) = schema.get("items") {
        collect(document, items, &format!("{path}[]"), around, found);
    }
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        collect(document, property, &path, around, found);
    }
}
