//! The shape of a schema: which keys its objects have, and where its lists are, so that a body can be validated while
//! it is read.

use std::collections::BTreeMap;

use business_data_connector_document::reference;
use jsonschema::Validator;
use serde_json::{Value, json};

/// How deep the shape of a schema is followed; a schema may refer to itself.
const MAX_DEPTH: usize = 32;

pub(super) enum Shape {
    /// An object with these properties.
    Object(BTreeMap<String, Shape>),
    /// A list whose items are validated one by one.
    List(Box<List>),
    /// A value about whose parts its schema says nothing.
    Scalar,
    /// A value that is kept whole, since its schema says more about its parts than a shape can.
    Any,
}

pub(super) struct List {
    pub(super) items: Shape,
    pub(super) validator: Validator,
}

impl Shape {
    /// # Errors
    /// When the schema of an item is not a JSON Schema.
    pub(super) fn of(root: &Value) -> Result<Self, String> {
        shape(root, root, MAX_DEPTH)
    }
}

/// The keywords of which a shape keeps what they need.
#[rustfmt::skip]
const KEYWORDS: [&str; 23] = [
    "type", "properties", "required", "items", "$ref", "allOf", "$defs", "$schema", "$id", "$comment", "title",
    "description", "examples", "default", "format", "pattern", "minLength", "maxLength", "minimum", "maximum",
    "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
];

fn shape(root: &Value, schema: &Value, depth: usize) -> Result<Shape, String> {
    let target = reference(schema);
    let schema = target.and_then(|target| root.pointer(target.strip_prefix('#')?)).unwrap_or(schema);
    let understood = schema.as_object().is_some_and(|schema| schema.keys().all(|key| KEYWORDS.contains(&key.as_str())));
    let combined = target.is_none() && schema.get("allOf").is_some();
    if depth == 0 || !understood || combined {
        return Ok(Shape::Any);
    }
    if let Some(properties) = schema["properties"].as_object() {
        let properties = properties.iter().map(|(key, schema)| Ok((key.clone(), shape(root, schema, depth - 1)?)));
        return properties.collect::<Result<_, String>>().map(Shape::Object);
    }
    match schema.get("items") {
        None => Ok(Shape::Scalar),
        Some(items) => {
            let whole = json!({ "$schema": root["$schema"], "$defs": root["$defs"], "allOf": [items] });
            let validator = jsonschema::draft202012::new(&whole).map_err(|error| error.to_string())?;
            Ok(Shape::List(Box::new(List { items: shape(root, items, depth - 1)?, validator })))
        }
    }
}
