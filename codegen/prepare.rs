//! What is changed in the document before the generator sees it.
//!
//! Each preparation is a function with a reason. One that finds nothing to do fails: then the document or the generator
//! has changed, and the preparation should go.

use business_data_connector_document::{BODY_CREDENTIALS, Document, Faults};
use serde_json::{Map, Value, json};

/// The component that `number` is replaced by, and the generator replaces by `crate::Decimal`.
pub(crate) const DECIMAL: &str = "Decimal";

type Preparation = fn(&mut Value, &Document) -> Result<(), Faults>;

/// The document as the generator gets it.
pub(crate) fn prepared(document: &Document) -> Result<Value, Faults> {
    let preparations: [Preparation; 6] = [
        lift_credentials,
        close_empty_requests,
        keep_every_reply,
        keep_types_without_validation,
        make_numbers_decimals,
        tell_absent_lists_from_empty_ones,
    ];
    let mut value = document.as_value().clone();
    for prepare in preparations {
        prepare(&mut value, document)?;
    }
    Ok(value)
}

/// Secrets never live in request values: `src/credentials.rs` puts them into the body when it leaves.
pub(crate) fn lift_credentials(value: &mut Value, document: &Document) -> Result<(), Faults> {
    for operation in document.operations() {
        let schema = &mut value["components"]["schemas"][&operation.request];
        for credential in BODY_CREDENTIALS {
            if let Some(required) = schema["required"].as_array_mut() {
                required.retain(|name| name != credential);
            }
            if schema["properties"].as_object_mut().and_then(|properties| properties.remove(credential)).is_none() {
                return Err(Faults::one(
                    format!("components.schemas.{}", operation.request),
                    format!("has no `{credential}`, which every operation carries in its body."),
                ));
            }
        }
    }
    Ok(())
}

/// A request that was all credentials becomes a struct without fields; open, it would become a map.
pub(crate) fn close_empty_requests(value: &mut Value, document: &Document) -> Result<(), Faults> {
    let mut applied = false;
    for operation in document.operations() {
        let schema = &mut value["components"]["schemas"][&operation.request];
        if schema["properties"].as_object().is_some_and(Map::is_empty) {
            schema["additionalProperties"] = json!(false);
            applied = true;
        }
    }
    applied_or(applied, "close_empty_requests", "no request is without fields of its own")
}

/// "No content" makes the generator drop what the service sends all the same; one reply of any type for every status
/// makes it hand over the bytes.
pub(crate) fn keep_every_reply(value: &mut Value, document: &Document) -> Result<(), Faults> {
    for operation in document.operations() {
        let post = &mut value["paths"][&operation.path]["post"];
        post["requestBody"]["required"] = json!(true);
        post["responses"] =
            json!({ "default": { "description": "Any reply.", "content": { "*/*": { "schema": {} } } } });
    }
    applied_or(!document.operations().is_empty(), "keep_every_reply", "there is no operation")
}

/// Types carry names and types. Limits, patterns and formats would become types of their own, and a `default` would be
/// sent by everyone; they stay in the schemas that other teams get.
pub(crate) fn keep_types_without_validation(value: &mut Value, _: &Document) -> Result<(), Faults> {
    const KEPT: [&str; 6] = ["type", "description", "items", "allOf", "$ref", "nullable"];
    let mut applied = false;
    each_value(value, |schema| {
        let before = schema.len();
        schema.retain(|key, _| KEPT.contains(&key.as_str()));
        applied |= schema.len() < before;
    });
    applied_or(applied, "keep_types_without_validation", "no property says more than its type")
}

/// Money is exact: `number` would become `f64`.
pub(crate) fn make_numbers_decimals(value: &mut Value, _: &Document) -> Result<(), Faults> {
    let schemas = &mut value["components"]["schemas"];
    if schemas.get(DECIMAL).is_some() {
        return Err(Faults::one(
            format!("components.schemas.{DECIMAL}"),
            "is the name of the Rust type for `type: number`; choose another.",
        ));
    }
    let mut applied = false;
    each_value(value, |schema| {
        if schema.get("type") == Some(&json!("number")) {
            schema.remove("type");
            schema.insert("allOf".to_owned(), json!([{ "$ref": format!("#/components/schemas/{DECIMAL}") }]));
            applied = true;
        }
    });
    value["components"]["schemas"][DECIMAL] = json!({ "type": "number" });
    applied_or(applied, "make_numbers_decimals", "no property is a number")
}

/// Absent, empty and filled are three wire forms: only a nullable list becomes an `Option<Vec<_>>`.
pub(crate) fn tell_absent_lists_from_empty_ones(value: &mut Value, _: &Document) -> Result<(), Faults> {
    let mut applied = false;
    each_property(value, |required, name, property| {
        if property.get("type") == Some(&json!("array")) && !required.iter().any(|required| required == name) {
            property.insert("nullable".to_owned(), json!(true));
            applied = true;
        }
    });
    applied_or(applied, "tell_absent_lists_from_empty_ones", "no optional property is a list")
}

fn applied_or(applied: bool, preparation: &str, because: &str) -> Result<(), Faults> {
    if applied {
        return Ok(());
    }
    Err(Faults::one(
        "components.schemas",
        format!("the preparation `{preparation}` no longer applies, since {because}; take it out of build/prepare.rs."),
    ))
}

/// Calls `change(required names, property name, property)` for every property of every component.
fn each_property(value: &mut Value, mut change: impl FnMut(&[Value], &str, &mut Map<String, Value>)) {
    for (_, schema) in value["components"]["schemas"].as_object_mut().into_iter().flatten() {
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        for (name, property) in schema["properties"].as_object_mut().into_iter().flatten() {
            if let Some(property) = property.as_object_mut() {
                change(&required, name, property);
            }
        }
    }
}

/// Calls `change(schema)` for every property, and for what a list holds.
fn each_value(value: &mut Value, mut change: impl FnMut(&mut Map<String, Value>)) {
    each_property(value, |_, _, property| {
        change(property);
        if let Some(items) = property.get_mut("items").and_then(Value::as_object_mut) {
            change(items);
        }
    });
}
