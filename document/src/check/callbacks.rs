use std::collections::BTreeMap;

use serde_json::Value;

use super::{list::list_of, schemas};
use crate::{
    callbacks::{EXPRESSION, RESPONSE, body, envelopes},
    referred,
    violation::Collector,
};

/// An operation has a callback if, and only if, its request has a `webhook`; all callbacks have the same envelope.
pub(super) fn check(document: &Value, violations: &mut Collector) {
    let mut checked = Vec::new();
    // Sorted, so that a mistake has the same location whichever features serde_json was built with.
    let items: BTreeMap<_, _> = document["paths"].as_object().into_iter().flatten().collect();
    for (path, item) in items {
        let (post, location) = (&item["post"], format!("paths.{path}.post"));
        operation(document, post, &location, violations);
        for (name, callback) in post["callbacks"].as_object().into_iter().flatten() {
            // Operations share a callback by a YAML alias; a mistake in it is reported once.
            if !checked.contains(&callback) {
                definition(document, callback, &format!("{location}.callbacks.{name}"), violations);
                checked.push(callback);
            }
        }
    }
    let envelopes = Vec::from_iter(envelopes(document));
    if envelopes.len() > 1 {
        violations.add(
            "paths",
            format!(
                "have callbacks with several bodies: {}; receivers need one that all callbacks share.",
                list_of(&envelopes)
            ),
        );
    }
}

fn operation(document: &Value, post: &Value, location: &str, violations: &mut Collector) {
    let request = referred(&post["requestBody"]["content"]["application/json"]["schema"]);
    let takes_webhook = request
        .is_some_and(|request| document["components"]["schemas"][request]["properties"].get("webhook").is_some());
    let callbacks = post["callbacks"].as_object().filter(|callbacks| !callbacks.is_empty());
    match (takes_webhook, callbacks) {
        (true, None) => violations.add(
            location,
            "takes a `webhook`, but has no `callbacks`; add the callback that is sent there, and its `x-callback-response`.",
        ),
        (false, Some(_)) => violations.add(
            &format!("{location}.callbacks"),
            "describe what is sent to the `webhook`, but the request has no such property; remove one or add the other.",
        ),
        _ => {}
    }
    response(document, post, callbacks.is_some(), &format!("{location}.{RESPONSE}"), violations);
}

/// The shape of `response`, which is not in the envelope, since its type differs and is not certain.
fn response(document: &Value, post: &Value, has_callbacks: bool, location: &str, violations: &mut Collector) {
    let Some(shape) = post.get(RESPONSE) else {
        if has_callbacks {
            violations
                .add(location, "is missing; refer to the schema of `response` in the callbacks of the operation.");
        }
        return;
    };
    if !has_callbacks {
        violations.add(location, "describes callbacks that the operation does not have; remove it.");
    }
    let target = shape["$ref"].as_str().and_then(|target| target.strip_prefix("#/components/schemas/"));
    let is_object = |name: &str| document["components"]["schemas"][name]["type"] == "object";
    // `references` reports a target that does not exist.
    if target.is_none_or(|name| {
        name.contains('/') || document["components"]["schemas"].get(name).is_some() && !is_object(name)
    }) {
        violations.add(location, "must be a `$ref` to an object under components.schemas, which becomes a Rust type.");
    }
}

fn definition(document: &Value, callback: &Value, location: &str, violations: &mut Collector) {
    if callback.get("$ref").is_some() {
        return violations.add(
            location,
            "is a `$ref`, which some generators reject; share the callback by a YAML alias (`callbacks: *callbacks`).",
        );
    }
    let found: Vec<_> = callback.as_object().into_iter().flatten().map(|(expression, _)| expression).collect();
    if found != [EXPRESSION] {
        return violations.add(
            location,
            format!(
                "must have exactly the address `{EXPRESSION}`, to which callbacks are sent; found {}.",
                list_of(&found)
            ),
        );
    }
    let location = format!("{location}.{EXPRESSION}");
    let methods: Vec<_> = callback[EXPRESSION].as_object().into_iter().flatten().map(|(method, _)| method).collect();
    if methods != ["post"] {
        return violations.add(&location, format!("must have a `post` and nothing else; found {}.", list_of(&methods)));
    }
    post(document, &callback[EXPRESSION]["post"], &format!("{location}.post"), violations);
}

fn post(document: &Value, post: &Value, location: &str, violations: &mut Collector) {
    schemas::description(post, location, violations);
    if post.get("x-evidence").is_none() {
        violations.add(
            location,
            "has no `x-evidence`; callbacks are not specified, so say whether this is `observed` or `assumed`.",
        );
    }
    schemas::extensions(post, location, violations);
    let types: Vec<_> =
        post["requestBody"]["content"].as_object().into_iter().flatten().map(|(name, _)| name).collect();
    let envelope = body(post).map(|name| &document["components"]["schemas"][name]);
    if types != ["application/json"] || envelope.is_none() {
        return violations.add(
            &format!("{location}.requestBody.content"),
            "must be exactly `application/json`, with a `$ref` to a schema under components.schemas.",
        );
    }
    if envelope.is_some_and(|envelope| envelope["properties"].get("response").is_none()) {
        violations.add(
            &format!("{location}.requestBody"),
            format!("has no `response`, whose shape `{RESPONSE}` refers to; add this property to the schema."),
        );
    }
    if post["responses"].get("200").is_none() {
        violations
            .add(&format!("{location}.responses"), "must include `200`, with which a receiver accepts a callback.");
    }
}
