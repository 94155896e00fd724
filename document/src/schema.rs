use std::collections::BTreeSet;

use schemars::{
    Schema,
    transform::{RecursiveTransform, Transform},
};
use serde_json::{Map, Value, json};

use crate::{Document, REQUESTS};

/// The dialect of every emitted schema. The keywords in use mean the same in draft-07.
pub const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

/// The prefix of every `$id`. It is an identifier only: nothing can be fetched from it.
pub const SCHEMA_BASE: &str = "https://business-data-connector.example/schemas/";

/// The file of the schema that contains every type once.
pub const REQUESTS_FILE: &str = "requests.schema.json";

/// The name of the file with a component's schema.
pub fn schema_file(component: &str) -> String {
    format!("{component}.schema.json")
}

impl Document {
    /// A component as a self-contained JSON Schema (2020-12), with referenced components under `$defs`. `None` if there
    /// is no such component.
    ///
    /// Nothing in the document is lost: `example` becomes `examples`, and extensions, which a strict validator would
    /// reject as unknown keywords, move to `$comment`. Numbers have the precision of a double. The result does not
    /// depend on the order of the document.
    pub fn json_schema(&self, component: &str) -> Option<Value> {
        let mut root = self.converted(component)?;
        let mut needed = BTreeSet::new();
        references(root.as_value(), &mut needed);
        let mut defs = Map::new();
        while let Some(name) = needed.iter().find(|name| !defs.contains_key(*name)).cloned() {
            let schema = self.converted(&name)?;
            references(schema.as_value(), &mut needed);
            defs.insert(name, schema.to_value());
        }
        root.insert("$schema".to_owned(), json!(DIALECT));
        root.insert("$id".to_owned(), json!(format!("{SCHEMA_BASE}{}", schema_file(component))));
        if !defs.is_empty() {
            root.insert("$defs".to_owned(), Value::Object(defs));
        }
        Some(sorted(&root.to_value()))
    }

    /// One schema that contains every component once, for tools that generate types. Given the self-contained schemas,
    /// they would generate a record again for every request that contains it, under a name of their own. The root has a
    /// property for each request, for the callback, and for the known shape of each `response`, so that every type is
    /// reachable.
    pub fn requests_schema(&self) -> Option<Value> {
        let mut defs = Map::new();
        for component in self.components() {
            defs.insert(component.to_owned(), self.converted(component)?.to_value());
        }
        let target = |component: &str| json!({ "$ref": format!("#/$defs/{component}") });
        let mut properties = Map::new();
        for operation in self.operations() {
            properties.insert(operation.id.clone(), target(&operation.request));
            if let Some(response) = &operation.callback {
                properties.insert(format!("{}_response", operation.id), target(response));
            }
        }
        if let Some(envelope) = self.callback_envelope() {
            properties.insert("callback".to_owned(), target(envelope));
        }
        Some(sorted(&json!({
            "$schema": DIALECT,
            "$id": format!("{SCHEMA_BASE}{REQUESTS_FILE}"),
            "title": REQUESTS,
            "description": "The request body of each operation, the body of a callback, and the known shape of `response` \
                in the callbacks of each operation. Nothing of this shape is sent: it is for tools that make types.",
            "type": "object",
            "required": properties.keys().collect::<BTreeSet<_>>(),
            "properties": Value::Object(properties.clone()),
            "$defs": Value::Object(defs),
        })))
    }

    fn converted(&self, component: &str) -> Option<Schema> {
        let schema = self.as_value()["components"]["schemas"].get(component)?;
        let mut schema = Schema::try_from(schema.clone()).ok()?;
        RecursiveTransform(to_json_schema).transform(&mut schema);
        if schema.get("title").is_none() {
            schema.insert("title".to_owned(), json!(component));
        }
        Some(schema)
    }
}

/// Converts one schema from OpenAPI 3.0 to JSON Schema.
fn to_json_schema(schema: &mut Schema) {
    if let Some(example) = schema.remove("example") {
        schema.insert("examples".to_owned(), json!([example]));
    }
    if schema.remove("nullable") == Some(json!(true)) {
        let kind = schema.remove("type");
        schema.insert("type".to_owned(), json!([kind, "null"]));
    }
    // OpenAPI 3.0 has a boolean beside the limit, JSON Schema the limit itself.
    for (limit, exclusive) in [("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")] {
        match schema.remove(exclusive) {
            Some(Value::Bool(true)) => {
                if let Some(limit) = schema.remove(limit) {
                    schema.insert(exclusive.to_owned(), limit);
                }
            }
            Some(Value::Bool(false)) | None => {}
            Some(other) => _ = schema.insert(exclusive.to_owned(), other),
        }
    }
    if let Some(Value::String(target)) = schema.get_mut("$ref") {
        *target = target.replace("#/components/schemas/", "#/$defs/");
    }
    let extensions: BTreeSet<String> = schema
        .as_object()
        .into_iter()
        .flatten()
        .map(|(key, _)| key.clone())
        .filter(|key| key.starts_with("x-"))
        .collect();
    let comments = extensions.iter().filter_map(|key| Some(format!("{key}: {}", plain(&schema.remove(key)?))));
    let comments: Vec<_> = comments.collect();
    if !comments.is_empty() {
        schema.insert("$comment".to_owned(), json!(comments.join("; ")));
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn references(schema: &Value, into: &mut BTreeSet<String>) {
    match schema {
        Value::Object(object) => {
            if let Some(target) = object.get("$ref").and_then(Value::as_str) {
                into.extend(target.strip_prefix("#/$defs/").map(str::to_owned));
            }
            object.values().for_each(|value| references(value, into));
        }
        Value::Array(items) => items.iter().for_each(|value| references(value, into)),
        _ => {}
    }
}

/// The value with sorted keys, whichever features serde_json was built with.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Object(object) => {
            let mut entries: Vec<_> = object.iter().collect();
            entries.sort_by_key(|(key, _)| key.as_str());
            Value::Object(entries.into_iter().map(|(key, value)| (key.clone(), sorted(value))).collect())
        }
        Value::Array(items) => items.iter().map(sorted).collect(),
        plain => plain.clone(),
    }
}
