use serde_json::Value;

use crate::{Faults, Operation, check, fault::Collector, operation};

/// An OpenAPI document that the generator, the schemas and the sandbox can all be made from.
#[derive(Debug, Clone)]
pub struct Document {
    value: Value,
    operations: Vec<Operation>,
}

impl Document {
    /// Reads a document, YAML or JSON.
    ///
    /// # Errors
    /// Every [`Fault`](crate::Fault) found: what is not YAML, not OpenAPI 3.0, or not within the conventions that
    /// CONTRIBUTING.md lists.
    pub fn parse(text: &str) -> Result<Self, Faults> {
        let value = read(text)?;
        Faults::none_in(check::version(&value))?;
        Faults::none_in(check::all(&value))?;
        let mut faults = Collector::default();
        let operations = operation::read_all(&value, &mut faults);
        Faults::none_in(faults.0)?;
        Ok(Self { value, operations })
    }

    /// The names of all components that are schemas, ordered.
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

    /// The operations, ordered by path, wherever they stand in the document.
    pub fn operations(&self) -> &[Operation] {
        &self.operations
    }

    /// The whole document as JSON.
    pub fn as_value(&self) -> &Value {
        &self.value
    }
}

/// A document's text as JSON, before anything of it is judged.
pub(crate) fn read(text: &str) -> Result<Value, Faults> {
    // By way of the YAML value, which refuses a key that stands twice.
    let yaml: yaml_serde::Value =
        yaml_serde::from_str(text).map_err(|e| Faults::one("document", format!("is not YAML: {e}")))?;
    serde_json::to_value(yaml).map_err(|e| Faults::one("document", format!("has a part that JSON cannot say: {e}")))
}
