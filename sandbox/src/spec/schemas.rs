//! The JSON Schemas that bodies are validated against, and the keys that they define.

use std::{collections::HashMap, iter};

use business_data_connector_document::Document;
use jsonschema::Validator;
use serde::de::DeserializeSeed;
use serde_json::Value;

pub(crate) use super::mistakes::most_similar;
use super::{
    mistakes::{UnknownKey, name_misspelt, reasons},
    outline::{At, Findings, Keep, Reader, nested},
    shape::{List, Shape},
};
use crate::refusal::{MAX_REASONS, Reason};

/// A validator for each component that bodies are validated against.
pub(crate) struct Schemas(HashMap<String, Component>);

struct Component {
    validator: Validator,
    shape: Shape,
    /// A list of such components.
    list: List,
}

/// A body that was read against its schema: what the schema defines, without the items of its lists.
pub(crate) struct Outline {
    value: Value,
    found: Findings,
}

impl Outline {
    pub(crate) fn value(&self) -> &Value {
        &self.value
    }

    /// A reason for each key that the schema does not define, with the one that was probably meant. The interface does
    /// not forbid such keys, and they are stored.
    pub(crate) fn unknown_keys(&self) -> Vec<Reason> {
        let mut unknown: Vec<_> = self.found.unknown.iter().map(UnknownKey::reason).collect();
        unknown.sort_by(|one, other| one.pointer.cmp(&other.pointer));
        unknown
    }

    /// The first notes, anywhere in the body, that ask for a fault.
    pub(crate) fn notes(&self) -> Option<&str> {
        self.found.notes.as_deref()
    }
}

impl Schemas {
    /// # Errors
    /// A sentence, when a component is missing or not a JSON Schema.
    pub(crate) fn compile<'a>(document: &Document, components: impl Iterator<Item = &'a str>) -> Result<Self, String> {
        let mut compiled = HashMap::new();
        for name in components {
            let schema =
                document.json_schema(name).ok_or_else(|| format!("components.schemas has no {name}; add it"))?;
            let not_a_schema = |error: String| format!("components.schemas.{name} is not a JSON Schema: {error}");
            let validator = || jsonschema::draft202012::new(&schema).map_err(|error| not_a_schema(error.to_string()));
            let shape = || Shape::of(&schema).map_err(not_a_schema);
            let list = List { items: shape()?, validator: validator()? };
            compiled.insert(name.to_owned(), Component { validator: validator()?, shape: shape()?, list });
        }
        Ok(Self(compiled))
    }

    /// Reads a body that should be a component. It is validated as far as it is not kept.
    ///
    /// # Errors
    /// When it is not strict JSON; the message never has a value.
    pub(crate) fn read(&self, component: &str, text: &[u8]) -> serde_json::Result<Outline> {
        read(self.0.get(component).map_or(Keep::Nothing, |component| nested(&component.shape)), text)
    }

    /// Reads a body that should be a list of a component, and validates each item.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub(crate) fn read_list(&self, component: &str, text: &[u8]) -> serde_json::Result<Outline> {
        read(self.0.get(component).map_or(Keep::Nothing, |component| Keep::List(&component.list)), text)
    }

    /// # Errors
    /// Everything that is wrong with a body, up to [`MAX_REASONS`].
    pub(crate) fn validate(&self, component: &str, outline: &Outline) -> Result<(), Vec<Reason>> {
        let Some(component) = self.0.get(component) else {
            return Err(vec![Reason::new("", "schema", format!("a schema {component}"), "none")]);
        };
        let own = reasons(&component.validator, &outline.value, "");
        // Nearly every body is valid, and this check is the faster one.
        let own = own.take(if component.validator.is_valid(&outline.value) { 0 } else { MAX_REASONS });
        outline.found.verdict(own)
    }

    /// # Errors
    /// Everything that is wrong with a list that [`read_list`](Self::read_list) has read, up to [`MAX_REASONS`].
    pub(crate) fn validate_list(&self, outline: &Outline) -> Result<(), Vec<Reason>> {
        outline.found.verdict(iter::empty())
    }
}

impl Findings {
    /// # Errors
    /// The reasons, and those that were found while the body was read.
    fn verdict(&self, own: impl Iterator<Item = Reason>) -> Result<(), Vec<Reason>> {
        let mut reasons: Vec<_> = own.chain(self.reasons.iter().cloned()).take(MAX_REASONS).collect();
        name_misspelt(&mut reasons, &self.unknown);
        if reasons.is_empty() { Ok(()) } else { Err(reasons) }
    }
}

fn read(keep: Keep<'_>, text: &[u8]) -> serde_json::Result<Outline> {
    let mut found = Findings::default();
    let mut deserializer = serde_json::Deserializer::from_slice(text);
    let value = Reader { keep, at: At::Root, found: &mut found }.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(Outline { value, found })
}
