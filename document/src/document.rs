use std::collections::BTreeSet;

use serde_json::Value;

use crate::{
    Operation, Violations, callbacks, check, operation,
    violation::{Collector, Violation},
    yaml::{self, Places, Source},
};

/// A validated OpenAPI document, from which the client, the JSON Schemas and the sandbox are made.
#[derive(Debug, Clone)]
pub struct Document {
    value: Value,
    places: Places,
    operations: Vec<Operation>,
}

impl Document {
    /// Parses and validates a document in YAML or JSON.
    ///
    /// # Errors
    /// Every [`Violation`](crate::Violation) found: the text is not valid YAML, not OpenAPI 3.0, or breaks one of the
    /// conventions listed in CONTRIBUTING.md.
    pub fn parse(text: &str) -> Result<Self, Violations> {
        let Source { value, places, ambiguities } = yaml::read(text)?;
        let mut violations = Collector::default();
        let is_openapi = check::version(&value, &mut violations);
        if is_openapi {
            check::all(&value, &mut violations);
        }
        let operations = if is_openapi { operation::read_all(&value, &mut violations) } else { Vec::new() };
        Violations::none_in([ambiguities, violations.placed(&places)].concat())?;
        // What is not used is only known once every reference is right.
        let mut violations = Collector::default();
        check::unused(&value, &mut violations);
        Violations::none_in(violations.placed(&places))?;
        Ok(Self { value, places, operations })
    }

    /// A violation of this document, for readers that have a rule of their own.
    pub fn violation(&self, location: &str, problem: impl Into<String>) -> Violations {
        Violation::at(self.places.of(location), location, problem).into()
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

    /// The name of the schema of every callback's body, if there are callbacks.
    pub fn callback_envelope(&self) -> Option<&str> {
        callbacks::envelopes(&self.value).into_iter().next()
    }

    /// The names of the schemas that callbacks consist of: the envelope, the known shapes of its `response`, and the
    /// records in those.
    pub fn callback_components(&self) -> BTreeSet<&str> {
        callbacks::components(&self.value)
    }

    /// The names of the schemas that requests consist of: their own, and those of the records in them.
    pub fn request_components(&self) -> BTreeSet<&str> {
        callbacks::reachable(&self.value, self.operations.iter().map(|operation| operation.request.as_str()))
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
