//! The JSON Schemas that bodies are validated against, and the keys that they define.

use std::collections::HashMap;

use business_data_connector_document::{Document, reference};
use jsonschema::{ValidationError, Validator, error::ValidationErrorKind};
use serde_json::Value;

use crate::refusal::{MAX_REASONS, Reason};

/// A validator for each component that bodies are validated against.
pub(crate) struct Schemas(HashMap<String, Component>);

struct Component {
    validator: Validator,
    schema: Value,
}

impl Schemas {
    /// # Errors
    /// A sentence, when a component is missing or not a JSON Schema.
    pub(crate) fn compile<'a>(document: &Document, components: impl Iterator<Item = &'a str>) -> Result<Self, String> {
        let mut compiled = HashMap::new();
        for name in components {
            let schema =
                document.json_schema(name).ok_or_else(|| format!("components.schemas has no {name}; add it"))?;
            let validator = jsonschema::draft202012::new(&schema)
                .map_err(|e| format!("components.schemas.{name} is not a JSON Schema: {e}"))?;
            compiled.insert(name.to_owned(), Component { validator, schema });
        }
        Ok(Self(compiled))
    }

    /// # Errors
    /// Everything that is wrong with the value, up to [`MAX_REASONS`].
    pub(crate) fn validate(&self, component: &str, value: &Value) -> Result<(), Vec<Reason>> {
        let Some(component) = self.0.get(component) else {
            return Err(vec![Reason::new("", "schema", format!("a schema {component}"), "none")]);
        };
        // Nearly every body is valid, and this check is the faster one.
        if component.validator.is_valid(value) {
            return Ok(());
        }
        Err(component.validator.iter_errors(value).take(MAX_REASONS).map(|error| reason(&error)).collect())
    }

    /// A reason for each key that the schema does not define, with the one that was probably meant. The interface does
    /// not forbid such keys, and they are stored.
    pub(crate) fn unknown_keys(&self, component: &str, value: &Value) -> Vec<Reason> {
        let mut found = Vec::new();
        if let Some(component) = self.0.get(component) {
            collect_unknown(&component.schema, &component.schema, value, "", &mut found);
        }
        found
    }
}

fn reason(error: &ValidationError<'_>) -> Reason {
    let pointer = error.instance_path().as_str();
    let got = json_type(error.instance());
    match error.kind() {
        ValidationErrorKind::Required { property } => {
            let missing = property.as_str().unwrap_or_default();
            Reason::new(format!("{pointer}/{missing}"), "required", "a value", "nothing")
        }
        ValidationErrorKind::Type { .. } => {
            let masked = error.masked().to_string();
            Reason::new(pointer, "type", masked.split('"').nth(1).unwrap_or("another type"), got)
        }
        _ => {
            let path = error.schema_path();
            let rule = path.as_str().rsplit('/').find(|part| part.parse::<usize>().is_err()).unwrap_or_default();
            Reason::new(pointer, rule, error.masked().to_string(), got)
        }
    }
}

fn json_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

fn collect_unknown(root: &Value, schema: &Value, value: &Value, pointer: &str, found: &mut Vec<Reason>) {
    let target = reference(schema);
    let schema = target.and_then(|target| root.pointer(target.strip_prefix('#')?)).unwrap_or(schema);
    match value {
        Value::Object(members) => {
            let Some(properties) = schema["properties"].as_object() else { return };
            for (key, value) in members {
                let pointer = format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"));
                match properties.get(key) {
                    Some(schema) => collect_unknown(root, schema, value, &pointer, found),
                    None if found.len() >= MAX_REASONS => return,
                    None => {
                        let expected = match most_similar(key, properties.keys()) {
                            Some(meant) => format!("a key that the interface defines, perhaps `{meant}`"),
                            None => "a key that the interface defines".to_owned(),
                        };
                        found.push(Reason::new(pointer, "unknown key", expected, "an unknown key"));
                    }
                }
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                collect_unknown(root, &schema["items"], item, &format!("{pointer}/{index}"), found);
            }
        }
        _ => {}
    }
}

/// The most similar of the known names, if it is similar enough to be a spelling of `name`.
pub(crate) fn most_similar<'a>(name: &str, known: impl Iterator<Item = &'a String>) -> Option<&'a String> {
    let distance = |known: &String| strsim::damerau_levenshtein(&name.to_lowercase(), known);
    known
        // Lengths that differ by much exclude a match, and `name` may have any length.
        .filter(|known| known.len().abs_diff(name.len()) * 3 <= known.len())
        .map(|known| (distance(known), known))
        .min()
        .filter(|(distance, known)| distance * 3 <= known.len())
        .map(|(_, known)| known)
}
