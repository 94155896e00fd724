use serde_json::{Map, Value};

use super::cycles;
use crate::{REQUESTS, fault::Collector, reference};

/// Every schema is a named object; every property is a plain value, a list, or a reference to a named object.
pub(super) fn check(document: &Value, faults: &mut Collector) {
    let Some(schemas) = document["components"]["schemas"].as_object() else {
        return faults.add("components.schemas", "is missing.");
    };
    for (name, schema) in schemas {
        let place = format!("components.schemas.{name}");
        if name == REQUESTS {
            faults.add(&place, "has the name of the emitted schema in which every type stands; take another.");
        }
        component(schemas, schema, &place, faults);
        cycles::check(schemas, name, &place, faults);
    }
}

fn component(schemas: &Map<String, Value>, schema: &Value, place: &str, faults: &mut Collector) {
    let Some(properties) = schema["properties"].as_object().filter(|_| schema["type"] == "object") else {
        return faults.add(
            place,
            "must be of `type: object` with `properties`; a plain value belongs where it is used, without a name.",
        );
    };
    if schema.get("additionalProperties").is_some() {
        faults.add(
            &format!("{place}.additionalProperties"),
            "must not be there: a reader of today must bear the fields of tomorrow.",
        );
    }
    undescribed(schema, place, faults);
    extensions(schema, &["x-evidence"], place, faults);
    for required in schema["required"].as_array().into_iter().flatten() {
        if required.as_str().is_none_or(|name| !properties.contains_key(name)) {
            faults.add(&format!("{place}.required"), format!("lists {required}, which is not a property."));
        }
    }
    for (name, property) in properties {
        let place = format!("{place}.properties.{name}");
        value(schemas, property, &place, faults);
        extensions(property, &["x-evidence", "x-sensitive"], &place, faults);
        example(property, &place, faults);
        if property.get("$ref").is_none() {
            undescribed(property, &place, faults);
        }
    }
}

fn value(schemas: &Map<String, Value>, schema: &Value, place: &str, faults: &mut Collector) {
    let Some(object) = schema.as_object() else {
        return faults.add(place, "must be a schema.");
    };
    if object.contains_key("enum") {
        faults.add(
            &format!("{place}.enum"),
            "closes a value that the interface leaves open; say the usual values in the `description`.",
        );
    }
    if is_reference(object) {
        let target = reference(schema);
        let name = target.and_then(|target| target.strip_prefix("#/components/schemas/"));
        // What is not in the document at all is told elsewhere.
        if name.is_none_or(|name| name.contains('/')) {
            faults.add(place, "refers to something else than a schema under components.schemas.");
        } else if name.is_some_and(|name| schemas.contains_key(name)) && object.contains_key("nullable") {
            faults
                .add(place, "has `nullable` beside a reference, where OpenAPI 3.0 gives it no meaning; leave it out.");
        }
        return;
    }
    match schema["type"].as_str() {
        Some("string" | "boolean" | "number" | "integer") => {}
        Some("array") => match schema.get("items") {
            Some(items) if items["type"] == "array" => faults.add(&format!("{place}.items"), "is a list of lists; name the inner one."),
            Some(items) => {
                value(schemas, items, &format!("{place}.items"), faults);
                if items.as_object().is_some_and(|items| items.keys().any(|key| key.starts_with("x-"))) {
                    faults.add(&format!("{place}.items"), "has an extension, which nothing looks for there; put it on the list.");
                }
            }
            None => faults.add(place, "is a list without `items`."),
        },
        Some("object") => faults.add(
            place,
            "is an inline object, whose generated name would depend on its place; move it to components.schemas and refer to it.",
        ),
        _ => faults.add(
            place,
            "must have one `type` (string, boolean, number, integer, array), or be a `$ref`, alone or in an `allOf` of one.",
        ),
    }
}

/// An extension that is misspelt would be passed over, and a secret be printed.
pub(super) fn extensions(object: &Value, known: &[&str], place: &str, faults: &mut Collector) {
    for (key, said) in object.as_object().into_iter().flatten().filter(|(key, _)| key.starts_with("x-")) {
        let said = said.as_str().unwrap_or_default();
        match key.as_str() {
            key if !known.contains(&key) => faults.add(place, format!("has `{key}`, which is not known here.")),
            "x-sensitive" if !["value", "query"].contains(&said) || object["type"] != "string" => {
                faults.add(place, "needs `x-sensitive` to be `value` or `query`, on a `type: string`.");
            }
            "x-evidence" if !["specified", "observed", "assumed"].contains(&said) => {
                faults.add(place, "needs `x-evidence` to be `specified`, `observed` or `assumed`.");
            }
            _ => {}
        }
    }
}

/// Vectors are made of the examples, so they have to be right.
fn example(property: &Value, place: &str, faults: &mut Collector) {
    const LIMITS: [&str; 10] = [
        "pattern",
        "format",
        "minLength",
        "maxLength",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "minItems",
    ];
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
                faults.add(
                    &format!("{place}.example"),
                    format!("is not of `type: {kind}`; text that looks like something else is put in quotes."),
                );
            }
        }
        (None, _) => {
            if let Some(limit) = LIMITS.iter().find(|limit| property.get(**limit).is_some()) {
                faults.add(place, format!("has a `{limit}` and no `example`, which the vectors would be made of."));
            }
        }
        _ => {}
    }
}

fn is_reference(schema: &Map<String, Value>) -> bool {
    let wrapped = || match schema.get("allOf").and_then(Value::as_array).map(Vec::as_slice) {
        Some([one]) => one.get("$ref").is_some(),
        _ => false,
    };
    schema.contains_key("$ref") || (!schema.contains_key("type") && wrapped())
}

fn undescribed(schema: &Value, place: &str, faults: &mut Collector) {
    if schema["description"].as_str().is_none_or(|text| text.trim().is_empty()) {
        faults.add(place, "has no `description`; the documentation is made from it.");
    }
}
