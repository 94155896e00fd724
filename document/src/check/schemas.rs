use serde_json::{Map, Value};

use super::{cycles, limits};
use crate::{LIMITS, REQUESTS, callbacks, reference, violation::Collector};

/// Every schema is a named object; every property is a plain value, an array, or a reference to a named object.
pub(super) fn check(document: &Value, violations: &mut Collector) {
    let Some(schemas) = document["components"]["schemas"].as_object() else {
        return violations.add("components.schemas", "is missing; the request schemas are defined there.");
    };
    let envelopes = callbacks::envelopes(document);
    for (name, schema) in schemas {
        let location = format!("components.schemas.{name}");
        if name == REQUESTS {
            violations
                .add(&location, "has a name that is reserved for the generated schema of all types; choose another.");
        }
        if schema.get("additionalProperties").is_some() {
            violations.add(
                &format!("{location}.additionalProperties"),
                "must not be set, because readers have to tolerate fields that are added later.",
            );
        }
        component(schemas, schema, envelopes.contains(name.as_str()), &location, violations);
        cycles::check(schemas, name, &location, violations);
    }
    for (name, schema) in document["components"]["x-observed"]["schemas"].as_object().into_iter().flatten() {
        component(schemas, schema, false, &format!("components.x-observed.schemas.{name}"), violations);
    }
}

fn component(
    schemas: &Map<String, Value>,
    schema: &Value,
    is_envelope: bool,
    location: &str,
    violations: &mut Collector,
) {
    let Some(properties) = schema["properties"].as_object().filter(|_| schema["type"] == "object") else {
        return violations.add(
            location,
            "must have `type: object` and `properties`; define a plain value inline, where it is used.",
        );
    };
    description(schema, location, violations);
    extensions(schema, location, violations);
    for required in schema["required"].as_array().into_iter().flatten() {
        if required.as_str().is_none_or(|name| !properties.contains_key(name)) {
            violations.add(&format!("{location}.required"), format!("lists {required}, which is not a property."));
        }
    }
    for (name, property) in properties {
        let location = format!("{location}.properties.{name}");
        if !is_envelope || !is_free_form(property) {
            value(schemas, property, &location, violations);
        }
        extensions(property, &location, violations);
        limits::check(property, &location, violations);
        example(property, &location, violations);
        if property.get("$ref").is_none() {
            description(property, &location, violations);
        }
    }
}

fn value(schemas: &Map<String, Value>, schema: &Value, location: &str, violations: &mut Collector) {
    let Some(object) = schema.as_object() else {
        return violations.add(location, "must be a schema object.");
    };
    if object.contains_key("enum") {
        violations.add(
            &format!("{location}.enum"),
            "restricts a value that the interface leaves open; mention the usual values in the `description` instead.",
        );
    }
    if is_reference(object) {
        let target = reference(schema);
        let name = target.and_then(|target| target.strip_prefix("#/components/schemas/"));
        // `references` reports a target that does not exist.
        if name.is_none_or(|name| name.contains('/')) {
            violations.add(location, "must refer to a schema directly under components.schemas.");
        } else if name.is_some_and(|name| schemas.contains_key(name)) && object.contains_key("nullable") {
            violations
                .add(location, "has `nullable` beside a reference, where it has no effect in OpenAPI 3.0; remove it.");
        }
        return;
    }
    match schema["type"].as_str() {
        Some("string" | "boolean" | "number" | "integer") => {}
        Some("array") => match schema.get("items") {
            Some(items) if items["type"] == "array" => violations.add(&format!("{location}.items"), "is an array of arrays; move the inner one into a named object."),
            Some(items) => {
                value(schemas, items, &format!("{location}.items"), violations);
                if items.as_object().is_some_and(|items| items.keys().any(|key| key.starts_with("x-"))) {
                    violations.add(&format!("{location}.items"), "has an extension, which would be ignored there; move it to the array.");
                }
            }
            None => violations.add(location, "is an array without `items`; add the schema of its elements."),
        },
        Some("object") => violations.add(
            location,
            "is an inline object, whose generated name would depend on its location; move it to components.schemas and refer to it.",
        ),
        _ => violations.add(
            location,
            "must have one `type` (string, boolean, number, integer or array), or be a `$ref`, alone or in an `allOf` of one.",
        ),
    }
}

/// The values of extensions that several places have.
pub(super) fn extensions(object: &Value, location: &str, violations: &mut Collector) {
    for (key, value) in object.as_object().into_iter().flatten().filter(|(key, _)| key.starts_with("x-")) {
        let value = value.as_str().unwrap_or_default();
        match key.as_str() {
            "x-sensitive" if !["value", "query"].contains(&value) || object["type"] != "string" => {
                violations.add(location, "must have `value` or `query` as its `x-sensitive`, and `type: string`.");
            }
            "x-evidence" if !["specified", "observed", "assumed"].contains(&value) => {
                violations.add(location, "must have `specified`, `observed` or `assumed` as its `x-evidence`.");
            }
            _ => {}
        }
    }
}

/// Test vectors are generated from the examples, so those must be valid.
fn example(property: &Value, location: &str, violations: &mut Collector) {
    match (property.get("example"), property["type"].as_str()) {
        (Some(example), Some(kind)) => {
            let right = match kind {
                "string" => example.is_string(),
                "boolean" => example.is_boolean(),
                "integer" => example.is_i64() || example.is_u64(),
                "number" => example.is_number(),
                _ => example.is_array(),
            };
            if !right {
                violations.add(
                    &format!("{location}.example"),
                    format!("does not have `type: {kind}`; put a string that looks like another type in quotes."),
                );
            }
        }
        (None, _) => {
            if let Some(limit) = LIMITS.iter().find(|limit| property.get(**limit).is_some()) {
                violations.add(
                    location,
                    format!(
                        "has a `{limit}` but no `example`; add a valid one, from which the test vectors are generated."
                    ),
                );
            }
        }
        _ => {}
    }
}

/// Whether a property of a callback's envelope may be any JSON value. In any other schema, a type was forgotten.
fn is_free_form(property: &Value) -> bool {
    property
        .as_object()
        .is_some_and(|property| property.keys().all(|key| ["description", "x-evidence"].contains(&key.as_str())))
}

fn is_reference(schema: &Map<String, Value>) -> bool {
    let wrapped = || match schema.get("allOf").and_then(Value::as_array).map(Vec::as_slice) {
        Some([one]) => one.get("$ref").is_some(),
        _ => false,
    };
    schema.contains_key("$ref") || (!schema.contains_key("type") && wrapped())
}

pub(super) fn description(schema: &Value, location: &str, violations: &mut Collector) {
    if schema["description"].as_str().is_none_or(|text| text.trim().is_empty()) {
        violations.add(location, "has no `description`; add one, from which the documentation is generated.");
    }
}
