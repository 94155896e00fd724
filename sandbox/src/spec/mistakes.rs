//! What is wrong with a body, in words.

use std::fmt;

use jsonschema::{ValidationError, Validator, error::ValidationErrorKind};
use serde_json::Value;

use crate::refusal::{Reason, shortened};

/// What is wrong with a value at a location.
pub(super) fn reasons<'a>(
    validator: &'a Validator,
    value: &'a Value,
    at: &'a str,
) -> impl Iterator<Item = Reason> + 'a {
    validator.iter_errors(value).map(move |error| {
        let reason = reason(&error);
        Reason::new(format!("{at}{}", reason.pointer), reason.rule, reason.expected, reason.got)
    })
}

/// A key that the schema does not define.
pub(super) struct UnknownKey {
    /// The pointer to the object that has it.
    parent: String,
    key: String,
    /// The key that was probably meant.
    meant: Option<String>,
}

impl UnknownKey {
    pub(super) fn new<'a>(parent: impl Into<String>, key: &str, known: impl Iterator<Item = &'a String>) -> Self {
        Self { parent: shortened(parent), key: shortened(key), meant: most_similar(key, known).cloned() }
    }

    pub(super) fn reason(&self) -> Reason {
        let expected = match &self.meant {
            Some(meant) => format!("a key that the interface defines, perhaps `{meant}`"),
            None => "a key that the interface defines".to_owned(),
        };
        Reason::new(joined(&self.parent, &self.key), "unknown key", expected, "an unknown key")
    }
}

/// Where a key is missing, names the unknown key that was probably meant to be it.
pub(super) fn name_misspelt(reasons: &mut [Reason], unknown: &[UnknownKey]) {
    for reason in reasons.iter_mut().filter(|reason| reason.rule == "required") {
        let named = unknown.iter().find_map(|UnknownKey { parent, key, meant }| {
            let meant = meant.as_ref().filter(|meant| joined(parent, meant) == reason.pointer)?;
            Some(format!("nothing; `{key}` is an unknown key, perhaps `{meant}`"))
        });
        reason.got = named.unwrap_or_else(|| reason.got.clone());
    }
}

/// A JSON pointer to a member of the object at another pointer.
pub(super) fn joined(pointer: impl fmt::Display, key: &str) -> String {
    format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"))
}

fn reason(error: &ValidationError<'_>) -> Reason {
    let pointer = error.instance_path().as_str();
    let got = json_type(error.instance());
    match error.kind() {
        ValidationErrorKind::Required { property } => {
            let missing = property.as_str().unwrap_or_default();
            Reason::new(joined(pointer, missing), "required", "a value", "nothing")
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
