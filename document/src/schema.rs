use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::Document;

/// The dialect that every emitted schema names.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";

impl Document {
    /// A component as a self-contained JSON Schema (2020-12): what it refers to stands under `$defs`. `None` when there
    /// is no such component.
    ///
    /// `example` becomes `examples`; everything else, the extensions too, stays as the document says it.
    pub fn json_schema(&self, component: &str) -> Option<Value> {
        let schemas = &self.as_value()["components"]["schemas"];
        let mut root = converted(schemas.get(component)?);
        let mut wanted = BTreeSet::new();
        references(&root, &mut wanted);
        let mut defs = Map::new();
        while let Some(name) = wanted.iter().find(|name| !defs.contains_key(*name)).cloned() {
            let schema = converted(&schemas[&name]);
            references(&schema, &mut wanted);
            defs.insert(name, schema);
        }
        let object = root.as_object_mut()?;
        object.insert("$schema".to_owned(), json!(DIALECT));
        object.insert("title".to_owned(), json!(component));
        if !defs.is_empty() {
            object.insert("$defs".to_owned(), Value::Object(defs));
        }
        Some(root)
    }
}

fn converted(schema: &Value) -> Value {
    match schema {
        Value::Object(object) => {
            let mut object: Map<_, _> = object.iter().map(|(key, value)| entry(key, value)).collect();
            // 3.0 has a keyword of its own for what JSON Schema says in `type`.
            if object.remove("nullable") == Some(json!(true)) {
                object.insert("type".to_owned(), json!([schema["type"], "null"]));
            }
            Value::Object(object)
        }
        Value::Array(items) => items.iter().map(converted).collect(),
        plain => plain.clone(),
    }
}

fn entry(key: &str, value: &Value) -> (String, Value) {
    match (key, value) {
        ("example", example) => ("examples".to_owned(), json!([example])),
        ("$ref", Value::String(target)) => (key.to_owned(), json!(target.replace("#/components/schemas/", "#/$defs/"))),
        ("properties", Value::Object(properties)) => {
            let properties = properties.iter().map(|(name, schema)| (name.clone(), converted(schema)));
            (key.to_owned(), Value::Object(properties.collect()))
        }
        _ => (key.to_owned(), converted(value)),
    }
}

fn references(schema: &Value, into: &mut BTreeSet<String>) {
    match schema {
        Value::Object(object) => {
            if let Some(name) =
                object.get("$ref").and_then(Value::as_str).and_then(|target| target.strip_prefix("#/$defs/"))
            {
                into.insert(name.to_owned());
            }
            object.values().for_each(|value| references(value, into));
        }
        Value::Array(items) => items.iter().for_each(|value| references(value, into)),
        _ => {}
    }
}
