use std::collections::BTreeSet;

use serde_json::Value;

use crate::{callbacks, referred, upload::UPLOAD, violation::Collector};

/// Everything that is defined is used. What is left of a removed operation would still be generated.
pub(super) fn check(document: &Value, violations: &mut Collector) {
    let posts: Vec<_> = entries(&document["paths"]).map(|(_, item)| &item["post"]).collect();
    let request = |post: &'_ Value| post["requestBody"]["content"]["application/json"]["schema"].clone();
    let requests: Vec<_> = posts.iter().map(|post| request(post)).collect();
    let uploaded = posts.iter().filter_map(|post| post[UPLOAD]["items"].as_str());
    let of_requests = callbacks::reachable(document, requests.iter().filter_map(referred).chain(uploaded));
    let mut schemas = callbacks::components(document);
    schemas.extend(of_requests);
    report(&document["components"]["schemas"], &schemas, "components.schemas", violations);

    let mut targets = BTreeSet::new();
    references(document, &mut targets);
    let named = |prefix: &str| targets.iter().filter_map(|target| target.strip_prefix(prefix)).collect();
    let components = &document["components"];
    report(&components["responses"], &named("#/components/responses/"), "components.responses", violations);
    let (prefix, location) = ("#/components/x-observed/schemas/", "components.x-observed.schemas");
    report(&components["x-observed"]["schemas"], &named(prefix), location, violations);

    let security = posts.iter().flat_map(|post| post["security"].as_array().into_iter().flatten());
    let schemes = security.flat_map(entries).map(|(name, _)| name).collect();
    report(&components["securitySchemes"], &schemes, "components.securitySchemes", violations);

    for (index, tag) in document["tags"].as_array().into_iter().flatten().enumerate() {
        if !posts.iter().any(|post| post["tags"][0] == tag["name"]) {
            violations.add(&format!("tags[{index}]"), "is not the tag of any operation; remove it.");
        }
    }
}

fn report(defined: &Value, used: &BTreeSet<&str>, location: &str, violations: &mut Collector) {
    for (name, _) in entries(defined).filter(|(name, _)| !used.contains(name)) {
        violations.add(&format!("{location}.{name}"), "is not used by any operation or callback; remove it.");
    }
}

/// The target of every reference.
fn references<'a>(value: &'a Value, into: &mut BTreeSet<&'a str>) {
    match value {
        Value::Object(members) => {
            into.extend(members.get("$ref").and_then(Value::as_str));
            members.values().for_each(|value| references(value, into));
        }
        Value::Array(items) => items.iter().for_each(|value| references(value, into)),
        _ => {}
    }
}

fn entries(value: &Value) -> impl Iterator<Item = (&str, &Value)> {
    value.as_object().into_iter().flatten().map(|(key, value)| (key.as_str(), value))
}
