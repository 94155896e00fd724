use serde_json::Value;

use super::references::below;
use crate::fault::Collector;

/// Descriptions become rustdoc, where a code block would be compiled as a test.
pub(super) fn check(document: &Value, faults: &mut Collector) {
    walk(document, String::new(), faults);
    if document["info"]["version"].as_str().is_none_or(|version| !version.is_ascii() || version.is_empty()) {
        faults.add("info.version", "must be ASCII text.");
    }
}

fn walk(value: &Value, place: String, faults: &mut Collector) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                let place = below(&place, key);
                match value.as_str() {
                    Some(text) if key == "description" && text.lines().any(is_code) => faults.add(
                        &place,
                        "has an indented or fenced block, which rustdoc would compile as a test; write it as `code` in the line.",
                    ),
                    _ => walk(value, place, faults),
                }
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                walk(value, format!("{place}[{index}]"), faults);
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
