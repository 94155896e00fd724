use serde_json::Value;

use crate::{reference::join, violation::Collector};

/// Descriptions become rustdoc, where a code block would be compiled as a test.
pub(super) fn check(document: &Value, violations: &mut Collector) {
    walk(document, String::new(), violations);
    if document["info"]["version"].as_str().is_none_or(|version| !version.is_ascii() || version.is_empty()) {
        violations.add("info.version", "must be a non-empty ASCII string.");
    }
}

fn walk(value: &Value, location: String, violations: &mut Collector) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                let location = join(&location, key);
                match value.as_str() {
                    Some(text) if key == "description" && text.lines().any(is_code) => violations.add(
                        &location,
                        "contains an indented or fenced block, which rustdoc would compile as a test; use inline `code` instead.",
                    ),
                    _ => walk(value, location, violations),
                }
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                walk(value, format!("{location}[{index}]"), violations);
            }
        }
        _ => {}
    }
}

fn is_code(line: &str) -> bool {
    line.starts_with("    ")
        || line.starts_with('\t')
        || line.trim_start().starts_with("```")
        || line.trim_start().starts_with("~~~")
}
