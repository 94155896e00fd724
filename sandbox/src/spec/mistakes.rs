//! What is wrong with a body, in words.

use jsonschema::{ValidationError, Validator, error::ValidationErrorKind};
use serde_json::Value;

use crate::refusal::Reason;

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

/// The reason for a key that the schema does not define.
pub(super) fn unknown_key<'a>(key: &str, pointer: String, known: impl Iterator<Item = &'a String>) -> Reason {
    let expected = match most_similar(key, known) {
        Some(meant) => format!("a key that the interface defines, perhaps `{meant}`"),
        None => "a key that the interface defines".to_owned(),
    };
    Reason::new(pointer, "unknown key", expected, "an unknown key")
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
