use std::collections::BTreeMap;

use heck::ToSnakeCase;
use serde_json::Value;

use super::schemas;
use crate::{BODY_CREDENTIALS, fault::Collector, referred};

/// Every path has one POST with one JSON body, a named request schema, and statuses.
pub(super) fn check(document: &Value, faults: &mut Collector) {
    let Some(paths) = document["paths"].as_object() else {
        return faults.add("paths", "is missing.");
    };
    let mut ids: BTreeMap<&str, &str> = BTreeMap::new();
    let mut requests: BTreeMap<&str, &str> = BTreeMap::new();
    for (path, item) in paths {
        let place = format!("paths.{path}");
        if !path.starts_with('/') || path.contains(['{', '}', '?', '#']) {
            faults.add(&place, "must begin with `/` and hold no parameters: everything travels in the JSON body.");
        }
        let Some(item) = item.as_object() else {
            faults.add(&place, "must be an object with a `post`.");
            continue;
        };
        for method in item.keys().filter(|key| *key != "post") {
            faults.add(&format!("{place}.{method}"), "is not allowed: a path has one POST, and nothing beside it.");
        }
        let Some(post) = item.get("post") else {
            continue;
        };
        operation(document, post, &format!("{place}.post"), faults);
        let request = post["requestBody"]["content"]["application/json"]["schema"]["$ref"].as_str();
        if let Some(other) = request.and_then(|request| requests.insert(request, path)) {
            faults.add(
                &format!("{place}.post.requestBody"),
                format!("is the request schema of {other}; each operation needs its own, which is its type in Rust."),
            );
        }
        if let Some(other) = post["operationId"].as_str().and_then(|id| ids.insert(id, path)) {
            faults
                .add(&format!("{place}.post.operationId"), format!("is already that of {other}; each needs its own."));
        }
    }
}

fn operation(document: &Value, post: &Value, place: &str, faults: &mut Collector) {
    let tags = post["tags"].as_array().map(Vec::as_slice);
    let tag = match tags {
        Some([Value::String(tag)]) => tag.as_str(),
        _ => {
            faults.add(&format!("{place}.tags"), "must hold exactly one tag.");
            ""
        }
    };
    match post["operationId"].as_str() {
        // Beginning with the tag keeps it off every name that the generated client and `Connector` have of their own.
        Some(id) if id == id.to_snake_case() && id.starts_with(&format!("{tag}_")) => {}
        Some(id) => faults.add(
            &format!("{place}.operationId"),
            format!("`{id}` must be snake_case and begin with the tag of the operation: `{tag}_...`."),
        ),
        None => faults.add(place, "has no `operationId`."),
    }
    schemas::extensions(post, &["x-effect", "x-asynchronous", "x-evidence", OBSERVED], place, faults);
    observed(document, post, &format!("{place}.{OBSERVED}"), faults);
    if post.get("parameters").is_some() {
        faults.add(
            &format!("{place}.parameters"),
            "are not supported: a request is a JSON body, and the header that `security` names.",
        );
    }
    body(document, &post["requestBody"], &format!("{place}.requestBody"), faults);
    responses(&post["responses"], &format!("{place}.responses"), faults);
}

/// What deployed services were seen to want in `data`.
const OBSERVED: &str = "x-observed-required";

/// A name that is none of `data` would never be missed.
fn observed(document: &Value, post: &Value, place: &str, faults: &mut Collector) {
    let Some(names) = post.get(OBSERVED) else { return };
    let schemas = &document["components"]["schemas"];
    let schema = |value: &Value| referred(value).map(|name| &schemas[name]["properties"]);
    let request = schema(&post["requestBody"]["content"]["application/json"]["schema"]);
    let data = request.and_then(|properties| schema(&properties["data"]));
    let known = |name: &Value| name.as_str().is_some_and(|name| data.is_some_and(|data| data.get(name).is_some()));
    if !names.as_array().is_some_and(|names| names.iter().all(known)) {
        faults.add(place, "must list properties of the record that `data` refers to.");
    }
}

fn body(document: &Value, body: &Value, place: &str, faults: &mut Collector) {
    let types: Vec<_> = body["content"].as_object().map(|content| content.keys().collect()).unwrap_or_default();
    if types != ["application/json"] {
        return faults.add(
            &format!("{place}.content"),
            format!("must be exactly one, `application/json`; found {}.", listed(&types)),
        );
    }
    let schema = &body["content"]["application/json"]["schema"];
    let target = schema["$ref"].as_str().and_then(|target| target.strip_prefix("#/components/schemas/"));
    let Some(target) = target else {
        return faults.add(
            &format!("{place}.content.application/json.schema"),
            "must be a `$ref` to a request schema under components.schemas, so that its name depends on no order.",
        );
    };
    let request = &document["components"]["schemas"][target];
    if request["type"] != "object" {
        faults.add(&format!("components.schemas.{target}"), "is a request body and must be of `type: object`.");
    }
    for credential in BODY_CREDENTIALS.iter().filter(|credential| request["properties"].get(*credential).is_none()) {
        faults.add(
            &format!("components.schemas.{target}.properties"),
            format!("has no `{credential}`, which every operation carries in its body."),
        );
    }
}

fn responses(responses: &Value, place: &str, faults: &mut Collector) {
    let statuses: Vec<_> = responses.as_object().map(|responses| responses.keys().collect()).unwrap_or_default();
    if !statuses.iter().any(|status| *status == "200") {
        faults.add(place, "must have `200`, the status that means success.");
    }
    if statuses.iter().any(|status| *status == "default") {
        faults.add(
            &format!("{place}.default"),
            "stands next to `200`: two kinds of success. Name the statuses; any other is accepted from the service anyway.",
        );
    }
}

fn listed(names: &[&String]) -> String {
    match names {
        [] => "none".to_owned(),
        names => names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
    }
}
