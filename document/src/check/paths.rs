use std::collections::BTreeMap;

use heck::ToSnakeCase;
use serde_json::Value;

use super::list::list_of;
use crate::{BODY_CREDENTIALS, operation::DESTRUCTIVE, referred, violation::Collector};

/// Every path has one POST with a JSON body, a named request schema, and explicit statuses.
pub(super) fn check(document: &Value, violations: &mut Collector) {
    let Some(paths) = document["paths"].as_object() else {
        return violations.add("paths", "is missing; the operations are listed there.");
    };
    let mut ids: BTreeMap<&str, &str> = BTreeMap::new();
    let mut requests: BTreeMap<&str, &str> = BTreeMap::new();
    for (path, item) in paths {
        let location = format!("paths.{path}");
        if !path.starts_with('/') || path.contains(['{', '}', '?', '#']) {
            violations
                .add(&location, "must begin with `/` and contain no parameters; all input is sent in the JSON body.");
        }
        let Some(item) = item.as_object() else {
            violations.add(&location, "must be an object with a `post`.");
            continue;
        };
        for method in item.keys().filter(|key| METHODS.contains(&key.as_str())) {
            violations.add(&format!("{location}.{method}"), "is not allowed; a path may only have a `post`.");
        }
        let Some(post) = item.get("post") else {
            continue;
        };
        operation(document, post, &format!("{location}.post"), violations);
        let request = post["requestBody"]["content"]["application/json"]["schema"]["$ref"].as_str();
        if let Some(other) = request.and_then(|request| requests.insert(request, path)) {
            violations.add(
                &format!("{location}.post.requestBody"),
                format!("uses the same request schema as {other}; each operation needs its own, which becomes its Rust type."),
            );
        }
        if let Some(other) = post["operationId"].as_str().and_then(|id| ids.insert(id, path)) {
            violations.add(
                &format!("{location}.post.operationId"),
                format!("is already used by {other}; operation IDs must be unique."),
            );
        }
    }
}

/// What a path may have in OpenAPI beside a `post`.
const METHODS: [&str; 8] = ["get", "put", "delete", "options", "head", "patch", "trace", "parameters"];

fn operation(document: &Value, post: &Value, location: &str, violations: &mut Collector) {
    let tags = post["tags"].as_array().map(Vec::as_slice);
    let tag = match tags {
        Some([Value::String(tag)]) => tag.as_str(),
        _ => {
            violations.add(&format!("{location}.tags"), "must contain exactly one tag.");
            ""
        }
    };
    match post["operationId"].as_str() {
        // The tag as a prefix avoids a clash with methods that the generated client and `Connector` have anyway.
        Some(id) if id == id.to_snake_case() && id.starts_with(&format!("{tag}_")) => {}
        Some(id) => violations.add(
            &format!("{location}.operationId"),
            format!("`{id}` must be in snake_case and begin with the tag of the operation: `{tag}_...`."),
        ),
        None => violations.add(location, "has no `operationId`; add one in snake_case that begins with the tag."),
    }
    destructive(post, &format!("{location}.{DESTRUCTIVE}"), violations);
    observed(document, post, &format!("{location}.{OBSERVED}"), violations);
    if post.get("parameters").is_some() {
        violations.add(
            &format!("{location}.parameters"),
            "are not supported; a request consists of a JSON body and the header named under `security`.",
        );
    }
    body(document, &post["requestBody"], &format!("{location}.requestBody"), violations);
    responses(&post["responses"], &format!("{location}.responses"), violations);
}

/// Agents may call whatever is not marked, so a mistake must not pass as "not destructive".
fn destructive(post: &Value, location: &str, violations: &mut Collector) {
    match post.get(DESTRUCTIVE) {
        None => {}
        Some(Value::Bool(true)) if post["x-effect"] == "read" => {
            violations.add(location, "contradicts `x-effect: read`; remove one of them.");
        }
        Some(Value::Bool(true)) => {}
        Some(_) => violations.add(location, "must be `true`; remove it from an operation that is not destructive."),
    }
}

/// The fields of `data` that deployed services were observed to require.
const OBSERVED: &str = "x-observed-required";

/// A misspelt name would never be enforced, without any sign of it.
fn observed(document: &Value, post: &Value, location: &str, violations: &mut Collector) {
    let Some(names) = post.get(OBSERVED) else { return };
    let schemas = &document["components"]["schemas"];
    let schema = |value: &Value| referred(value).map(|name| &schemas[name]["properties"]);
    let request = schema(&post["requestBody"]["content"]["application/json"]["schema"]);
    let data = request.and_then(|properties| schema(&properties["data"]));
    let known = |name: &Value| name.as_str().is_some_and(|name| data.is_some_and(|data| data.get(name).is_some()));
    if !names.as_array().is_some_and(|names| names.iter().all(known)) {
        violations.add(location, "must list properties of the record that `data` refers to.");
    }
}

fn body(document: &Value, body: &Value, location: &str, violations: &mut Collector) {
    let types: Vec<_> = body["content"].as_object().map(|content| content.keys().collect()).unwrap_or_default();
    if types != ["application/json"] {
        return violations.add(
            &format!("{location}.content"),
            format!("must be exactly `application/json`; found {}.", list_of(&types)),
        );
    }
    let schema = &body["content"]["application/json"]["schema"];
    let target = schema["$ref"].as_str().and_then(|target| target.strip_prefix("#/components/schemas/"));
    let Some(target) = target else {
        return violations.add(
            &format!("{location}.content.application/json.schema"),
            "must be a `$ref` to a schema under components.schemas, which gives the generated type a stable name.",
        );
    };
    let request = &document["components"]["schemas"][target];
    if request["type"] != "object" {
        violations
            .add(&format!("components.schemas.{target}"), "must have `type: object`, because it is a request body.");
    }
    for credential in BODY_CREDENTIALS.iter().filter(|credential| request["properties"].get(*credential).is_none()) {
        violations.add(
            &format!("components.schemas.{target}.properties"),
            format!("has no `{credential}`; every request body must have this property."),
        );
    }
}

fn responses(responses: &Value, location: &str, violations: &mut Collector) {
    let statuses: Vec<_> = responses.as_object().map(|responses| responses.keys().collect()).unwrap_or_default();
    if !statuses.iter().any(|status| *status == "200") {
        violations.add(location, "must include `200`, the status that reports success.");
    }
    if statuses.iter().any(|status| *status == "default") {
        violations.add(
            &format!("{location}.default"),
            "declares a second success response beside `200`; list statuses instead. Unlisted ones are tolerated anyway.",
        );
    }
}
