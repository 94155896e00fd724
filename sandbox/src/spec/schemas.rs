//! The schemas that bodies are held against, and the keys that they know.

use std::collections::HashMap;

use business_data_connector_document::{Document, reference};
use jsonschema::Validator;
use serde_json::Value;

use crate::{Reason, reason::MOST_REASONS};

/// A validator for each component that bodies are held against.
pub(crate) struct Schemas(HashMap<String, Component>);

struct Component {
    validator: Validator,
    schema: Value,
}

impl Schemas {
    /// # Errors
    /// A sentence, when a component is not a JSON Schema.
    pub(crate) fn compile<'a>(document: &Document, components: impl Iterator<Item = &'a str>) -> Result<Self, String> {
        let mut compiled = HashMap::new();
        for name in components {
            let schema = document.json_schema(name).ok_or_else(|| format!("there is no schema {name}"))?;
            let validator =
                jsonschema::draft202012::new(&schema).map_err(|e| format!("{name} is not a JSON Schema: {e}"))?;
            compiled.insert(name.to_owned(), Component { validator, schema });
        }
        Ok(Self(compiled))
    }

    /// # Errors
    /// Everything that is wrong.
    pub(crate) fn check(&self, component: &str, value: &Value) -> Result<(), Vec<Reason>> {
        let Some(component) = self.0.get(component) else {
            return Err(vec![Reason::new("", "schema", format!("a schema {component}"), "none")]);
        };
        // Nearly every body is right, and this is the quicker question.
        if component.validator.is_valid(value) {
            return Ok(());
        }
        let faults = component.validator.iter_errors(value).take(MOST_REASONS);
        Err(faults.map(|fault| Reason::of_schema(&fault)).collect())
    }

    /// A reason for each key that the schema does not know, with the one that was probably meant. The interface does not
    /// forbid them, and they are stored.
    pub(crate) fn unknown_keys(&self, component: &str, value: &Value) -> Vec<Reason> {
        let mut found = Vec::new();
        if let Some(component) = self.0.get(component) {
            unknown(&component.schema, &component.schema, value, "", &mut found);
        }
        found
    }
}

fn unknown(root: &Value, schema: &Value, value: &Value, place: &str, found: &mut Vec<Reason>) {
    let target = reference(schema);
    let schema = target.and_then(|target| root.pointer(target.strip_prefix('#')?)).unwrap_or(schema);
    match value {
        Value::Object(members) => {
            let Some(properties) = schema["properties"].as_object() else { return };
            for (key, value) in members {
                let place = format!("{place}/{}", key.replace('~', "~0").replace('/', "~1"));
                match properties.get(key) {
                    Some(schema) => unknown(root, schema, value, &place, found),
                    None if found.len() >= MOST_REASONS => return,
                    None => {
                        let expected = match likely(key, properties.keys()) {
                            Some(meant) => format!("a key of the interface, perhaps `{meant}`"),
                            None => "a key of the interface".to_owned(),
                        };
                        found.push(Reason::new(place, "unknown key", expected, "one that it does not know"));
                    }
                }
            }
        }
        Value::Array(items) => {
            let each = items.iter().enumerate();
            each.for_each(|(index, item)| unknown(root, &schema["items"], item, &format!("{place}/{index}"), found));
        }
        _ => {}
    }
}

/// The name that differs least, if it does not differ by much.
pub(crate) fn likely<'a>(name: &str, known: impl Iterator<Item = &'a String>) -> Option<&'a String> {
    let distance = |known: &String| strsim::damerau_levenshtein(&name.to_lowercase(), known);
    known
        // What is much longer differs by much, and may be of any length.
        .filter(|known| known.len().abs_diff(name.len()) * 3 <= known.len())
        .map(|known| (distance(known), known))
        .min()
        .filter(|(distance, known)| distance * 3 <= known.len())
        .map(|(_, known)| known)
}
