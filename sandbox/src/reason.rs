use std::fmt;

use jsonschema::{ValidationError, error::ValidationErrorKind};
use serde::Serialize;
use serde_json::Value;

/// One thing that is wrong with a request. Values are not repeated: they may be secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// Where, as a JSON pointer into the body; empty for the body or the request as a whole.
    pub pointer: String,
    /// The rule that is broken: a keyword of JSON Schema, or a word of the sandbox.
    pub rule: String,
    /// What the rule asks for.
    pub expected: String,
    /// What is there instead.
    pub got: String,
}

/// How many reasons one request has at most.
pub(crate) const MOST_REASONS: usize = 100;

/// The beginning of a text that its sender chose, and that may be of any length.
pub(crate) fn shortened(text: impl Into<String>) -> String {
    const LONGEST: usize = 300;

    let mut text = text.into();
    if let Some((end, _)) = text.char_indices().nth(LONGEST) {
        text.truncate(end);
        text.push('…');
    }
    text
}

/// A line each.
pub(crate) fn lines(reasons: &[Reason]) -> String {
    reasons.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

impl Reason {
    pub(crate) fn new(
        pointer: impl Into<String>,
        rule: impl Into<String>,
        expected: impl Into<String>,
        got: impl Into<String>,
    ) -> Self {
        Self { pointer: shortened(pointer), rule: shortened(rule), expected: shortened(expected), got: shortened(got) }
    }

    pub(crate) fn of_schema(fault: &ValidationError<'_>) -> Self {
        let rule =
            fault.schema_path().as_str().rsplit('/').find(|part| part.parse::<usize>().is_err()).unwrap_or_default();
        let pointer = fault.instance_path().as_str();
        match fault.kind() {
            ValidationErrorKind::Required { property } => {
                let missing = property.as_str().unwrap_or_default();
                Self::new(format!("{pointer}/{missing}"), "required", "a value", "nothing")
            }
            ValidationErrorKind::Type { .. } => {
                let masked = fault.masked().to_string();
                let expected = masked.split('"').nth(1).unwrap_or("another type");
                Self::new(pointer, "type", expected, kind(fault.instance()))
            }
            _ => Self::new(pointer, rule, fault.masked().to_string(), kind(fault.instance())),
        }
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pointer, rule, expected, got } = self;
        let colon = if pointer.is_empty() { "" } else { ": " };
        write!(f, "{pointer}{colon}expected {expected}, got {got} ({rule})")
    }
}
