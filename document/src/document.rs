use serde_json::Value;

use crate::{Operation, Violations, check, operation, violation::Collector};

/// A validated OpenAPI document, from which the client, the JSON Schemas and the sandbox are made.
#[derive(Debug, Clone)]
pub struct Document {
    value: Value,
    operations: Vec<Operation>,
}

impl Document {
    /// Parses and validates a document in YAML or JSON.
    ///
    /// # Errors
    /// Every [`Violation`](crate::Violation) found: the text is not valid YAML, not OpenAPI 3.0, or breaks one of the
    /// conventions listed in CONTRIBUTING.md.
    pub fn parse(text: &str) -> Result<Self, Violations> {
        let value = read(text)?;
        Violations::none_in(check::version(&value))?;
        Violations::none_in(check::all(&value))?;
        let mut violations = Collector::default();
        let operations = operation::read_all(&value, &mut violations);
        Violations::none_in(violations.0)?;
        Ok(Self { value, operations })
    }

    /// The names of all schemas under `components`, sorted.
    pub fn components(&self) -> Vec<&str> {
        let mut names: Vec<_> = self.value["components"]["schemas"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, _)| name.as_str())
            .collect();
        names.sort_unstable();
        names
    }

    /// The operations, sorted by path, regardless of their order in the document.
    pub fn operations(&self) -> &[Operation] {
        &self.operations
    }

    /// The whole document as JSON.
    pub fn as_value(&self) -> &Value {
        &self.value
    }
}

/// Converts a document's text to JSON, without validation.
pub(crate) fn read(text: &str) -> Result<Value, Violations> {
    // A YAML value first, because it rejects duplicate keys.
    let yaml: yaml_serde::Value =
        yaml_serde::from_str(text).map_err(|e| Violations::one("document", format!("is not valid YAML: {e}")))?;
    serde_json::to_value(yaml)
        .map_err(|e| Violations::one("document", format!("contains a value that JSON cannot represent: {e}")))
}
