//! The callbacks of the operations, and the schemas that they consist of.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{reference::resolved, referred};

/// The only address that a callback may be sent to: the `webhook` of the request.
pub(crate) const EXPRESSION: &str = "{$request.body#/webhook}";

/// The extension of an operation that refers to the known shape of `response` in its callbacks.
pub(crate) const RESPONSE: &str = "x-callback-response";

/// The name of the schema that [`RESPONSE`] refers to.
pub(crate) fn response(operation: &Value) -> Option<&str> {
    referred(&operation[RESPONSE])
}

/// The `post` of each callback of an operation, with references resolved.
pub(crate) fn posts<'a>(document: &'a Value, operation: &'a Value) -> impl Iterator<Item = &'a Value> {
    let callbacks = operation["callbacks"].as_object().into_iter().flatten();
    let items = callbacks.flat_map(|(_, callback)| resolved(document, callback).as_object().into_iter().flatten());
    items.map(|(_, item)| &item["post"])
}

/// The name of the schema of a callback's body.
pub(crate) fn body(post: &Value) -> Option<&str> {
    referred(&post["requestBody"]["content"]["application/json"]["schema"])
}

/// The names of the schemas of the callbacks' bodies. A document that passed the checks has one at most.
pub(crate) fn envelopes(document: &Value) -> BTreeSet<&str> {
    operations(document).flat_map(|operation| posts(document, operation)).filter_map(body).collect()
}

/// The names of all schemas that callbacks consist of.
pub(crate) fn components(document: &Value) -> BTreeSet<&str> {
    let responses = operations(document).filter_map(response);
    reachable(document, envelopes(document).into_iter().chain(responses))
}

/// The names of these schemas, and of all that they refer to.
pub(crate) fn reachable<'a>(document: &'a Value, from: impl Iterator<Item = &'a str>) -> BTreeSet<&'a str> {
    let schemas = &document["components"]["schemas"];
    let mut pending: Vec<_> = from.collect();
    let mut found = BTreeSet::new();
    while let Some(name) = pending.pop() {
        if !schemas[name].is_null() && found.insert(name) {
            pending.extend(referred_by(&schemas[name]));
        }
    }
    found
}

fn operations(document: &Value) -> impl Iterator<Item = &Value> {
    let items = document["paths"].as_object().into_iter().flatten().map(|(_, item)| item);
    items.flat_map(|item| item.as_object().into_iter().flatten().map(|(_, operation)| operation))
}

/// The names of the schemas that the properties of a schema refer to.
fn referred_by(schema: &Value) -> impl Iterator<Item = &str> {
    let properties = schema["properties"].as_object().into_iter().flatten();
    properties.flat_map(|(_, property)| [property, &property["items"]].into_iter().filter_map(referred))
}
