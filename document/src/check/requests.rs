//! What several rules ask about the requests of operations.

use serde_json::Value;

use crate::{BODY_CREDENTIALS, referred};

/// The operation with an `operationId`.
pub(super) fn find<'a>(document: &'a Value, id: &str) -> Option<&'a Value> {
    posts(document).find(|post| post["operationId"] == id)
}

pub(super) fn posts(document: &Value) -> impl Iterator<Item = &Value> {
    document["paths"].as_object().into_iter().flatten().map(|(_, item)| &item["post"])
}

/// The `data` of its request.
pub(super) fn data<'a>(document: &'a Value, post: &Value) -> Option<&'a Value> {
    schema(document, post).map(|schema| &schema["properties"]["data"])
}

/// The fields that a caller has to give, sorted.
pub(super) fn required<'a>(document: &'a Value, post: &Value) -> Vec<&'a str> {
    let names = schema(document, post).and_then(|schema| schema["required"].as_array());
    let names = names.into_iter().flatten().filter_map(Value::as_str);
    let mut names: Vec<_> = names.filter(|name| !BODY_CREDENTIALS.contains(name)).collect();
    names.sort_unstable();
    names
}

fn schema<'a>(document: &'a Value, post: &Value) -> Option<&'a Value> {
    let name = referred(&post["requestBody"]["content"]["application/json"]["schema"])?;
    Some(&document["components"]["schemas"][name])
}
