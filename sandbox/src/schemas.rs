use std::collections::HashMap;

use business_data_connector_document::Document;
use jsonschema::Validator;
use serde_json::Value;

/// A validator for each component that bodies are held against.
pub(crate) struct Schemas(HashMap<String, Validator>);

impl Schemas {
    /// # Errors
    /// A sentence, when a component is not a JSON Schema.
    pub(crate) fn compile<'a>(document: &Document, components: impl Iterator<Item = &'a str>) -> Result<Self, String> {
        let mut validators = HashMap::new();
        for name in components {
            let schema = document.json_schema(name).ok_or_else(|| format!("there is no schema {name}"))?;
            let validator =
                jsonschema::draft202012::new(&schema).map_err(|e| format!("{name} is not a JSON Schema: {e}"))?;
            validators.insert(name.to_owned(), validator);
        }
        Ok(Self(validators))
    }

    /// # Errors
    /// Every fault, a line each, with its place as a JSON pointer.
    pub(crate) fn check(&self, component: &str, value: &Value) -> Result<(), String> {
        let Some(validator) = self.0.get(component) else {
            return Err(format!("there is no schema {component}"));
        };
        let faults: Vec<_> = validator
            .iter_errors(value)
            .map(|fault| match fault.instance_path().as_str() {
                "" => fault.masked().to_string(),
                place => format!("{place}: {}", fault.masked()),
            })
            .collect();
        if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
    }
}
