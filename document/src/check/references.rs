use serde_json::Value;

use crate::{reference::join, violation::Collector};

/// Every `$ref` points into the document and has no siblings.
pub(super) fn check(document: &Value, violations: &mut Collector) {
    walk(document, document, String::new(), violations);
}

fn walk(document: &Value, value: &Value, location: String, violations: &mut Collector) {
    match value {
        Value::Object(object) => {
            if let Some(target) = object.get("$ref").and_then(Value::as_str) {
                if target.strip_prefix('#').and_then(|pointer| document.pointer(pointer)).is_none() {
                    violations.add(&location, format!("refers to `{target}`, which does not exist in the document."));
                }
                if object.len() > 1 {
                    violations.add(
                        &location,
                        "has keywords beside a `$ref`, which OpenAPI 3.0 ignores; wrap the `$ref` in `allOf: [...]`.",
                    );
                }
            }
            for (key, value) in object.iter().filter(|(key, _)| *key != "example") {
                walk(document, value, join(&location, key), violations);
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                walk(document, value, format!("{location}[{index}]"), violations);
            }
        }
        _ => {}
    }
}
