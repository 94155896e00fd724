//! Changes to the document before the generator reads it.
//!
//! Each preparation is a function with a documented reason. If it finds nothing to change, it fails: the document or
//! the generator has changed, and the preparation is no longer needed.

use business_data_connector_document::{BODY_CREDENTIALS, DECIMAL, Document, Violations};
use serde_json::{Map, Value, json};

type Preparation = fn(&mut Value, &Document) -> Result<(), Violations>;

/// The document as the generator reads it.
pub(crate) fn prepared(document: &Document) -> Result<Value, Violations> {
    let preparations: [Preparation; 7] = [
        drop_callbacks,
        lift_credentials,
        close_empty_objects,
        keep_every_reply,
        keep_types_without_validation,
        make_numbers_decimals,
        distinguish_absent_lists_from_empty_ones,
    ];
    let mut value = document.as_value().clone();
    for prepare in preparations {
        prepare(&mut value, document)?;
    }
    Ok(value)
}

/// The generator ignores `callbacks`, but would make a type of their envelope that rounds the numbers in `response`,
/// which may be any JSON value. `src/callback/` reads the envelope instead, and keeps the bytes. The known shapes of
/// `response` become types like every other schema.
pub(crate) fn drop_callbacks(value: &mut Value, document: &Document) -> Result<(), Violations> {
    let mut applied = false;
    for operation in document.operations() {
        let post = value["paths"][&operation.path]["post"].as_object_mut();
        applied |= post.is_some_and(|post| post.remove("callbacks").is_some());
    }
    if let (Some(envelope), Some(schemas)) =
        (document.callback_envelope(), value["components"]["schemas"].as_object_mut())
    {
        schemas.remove(envelope);
    }
    applied_or(document, applied, "drop_callbacks", "no operation has callbacks")
}

/// Request values never hold secrets: `src/credentials.rs` adds them to the body as it is sent.
pub(crate) fn lift_credentials(value: &mut Value, document: &Document) -> Result<(), Violations> {
    for operation in document.operations() {
        let schema = &mut value["components"]["schemas"][&operation.request];
        for credential in BODY_CREDENTIALS {
            if let Some(required) = schema["required"].as_array_mut() {
                required.retain(|name| name != credential);
            }
            if schema["properties"].as_object_mut().and_then(|properties| properties.remove(credential)).is_none() {
                return Err(document.violation(
                    &format!("components.schemas.{}", operation.request),
                    format!("has no `{credential}`; every request body must have this property."),
                ));
            }
        }
    }
    Ok(())
}

/// Closes objects without fields, such as requests that consisted of credentials only, so that they become a struct
/// without fields instead of a map.
pub(crate) fn close_empty_objects(value: &mut Value, document: &Document) -> Result<(), Violations> {
    let mut applied = false;
    for (_, schema) in value["components"]["schemas"].as_object_mut().into_iter().flatten() {
        if schema["properties"].as_object().is_some_and(Map::is_empty) {
            schema["additionalProperties"] = json!(false);
            applied = true;
        }
    }
    applied_or(document, applied, "close_empty_objects", "every object has fields")
}

/// For a response without content, the generator discards the body, which deployed services do send. One response of
/// any type for every status makes it return the bytes.
pub(crate) fn keep_every_reply(value: &mut Value, document: &Document) -> Result<(), Violations> {
    for operation in document.operations() {
        let post = &mut value["paths"][&operation.path]["post"];
        post["requestBody"]["required"] = json!(true);
        post["responses"] =
            json!({ "default": { "description": "Any reply.", "content": { "*/*": { "schema": {} } } } });
    }
    applied_or(document, !document.operations().is_empty(), "keep_every_reply", "there are no operations")
}

/// Reduces properties to names and types. Limits, patterns and formats would become types of their own, and every
/// client would send a `default`. The emitted JSON Schemas keep them.
pub(crate) fn keep_types_without_validation(value: &mut Value, document: &Document) -> Result<(), Violations> {
    const KEPT: [&str; 6] = ["type", "description", "items", "allOf", "$ref", "nullable"];
    let mut applied = false;
    each_value(value, |schema| {
        let before = schema.len();
        schema.retain(|key, _| KEPT.contains(&key.as_str()));
        applied |= schema.len() < before;
    });
    applied_or(document, applied, "keep_types_without_validation", "no property has other keywords")
}

/// Amounts must be exact, but `number` would become `f64`.
pub(crate) fn make_numbers_decimals(value: &mut Value, document: &Document) -> Result<(), Violations> {
    let mut applied = false;
    each_value(value, |schema| {
        if schema.get("type") == Some(&json!("number")) {
            schema.remove("type");
            schema.insert("allOf".to_owned(), json!([{ "$ref": format!("#/components/schemas/{DECIMAL}") }]));
            applied = true;
        }
    });
    value["components"]["schemas"][DECIMAL] = json!({ "type": "number" });
    applied_or(document, applied, "make_numbers_decimals", "no property is a number")
}

/// An absent list differs from an empty one on the wire, and only a nullable list becomes an `Option<Vec<_>>`.
pub(crate) fn distinguish_absent_lists_from_empty_ones(
    value: &mut Value,
    document: &Document,
) -> Result<(), Violations> {
    let mut applied = false;
    each_property(value, |required, name, property| {
        if property.get("type") == Some(&json!("array")) && !required.iter().any(|required| required == name) {
            property.insert("nullable".to_owned(), json!(true));
            applied = true;
        }
    });
    applied_or(document, applied, "distinguish_absent_lists_from_empty_ones", "no optional property is a list")
}

fn applied_or(document: &Document, applied: bool, preparation: &str, because: &str) -> Result<(), Violations> {
    if applied {
        return Ok(());
    }
    Err(document.violation(
        "components.schemas",
        format!(
            "the preparation `{preparation}` no longer applies, since {because}; remove it from codegen/prepare.rs."
        ),
    ))
}

/// Calls `change(required names, property name, property)` for each property of each component.
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

/// Calls `change(schema)` for each property, and for the items of each list.
fn each_value(value: &mut Value, mut change: impl FnMut(&mut Map<String, Value>)) {
    each_property(value, |_, _, property| {
        change(property);
        if let Some(items) = property.get_mut("items").and_then(Value::as_object_mut) {
            change(items);
        }
    });
}
