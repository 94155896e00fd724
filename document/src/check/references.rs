use serde_json::Value;

use crate::fault::Collector;

/// Every `$ref` leads somewhere within the document, and nothing stands beside it.
pub(super) fn check(document: &Value, faults: &mut Collector) {
    walk(document, document, String::new(), faults);
}

fn walk(document: &Value, value: &Value, place: String, faults: &mut Collector) {
    match value {
        Value::Object(object) => {
            if let Some(target) = object.get("$ref").and_then(Value::as_str) {
                if target.strip_prefix('#').and_then(|pointer| document.pointer(pointer)).is_none() {
                    faults.add(&place, format!("refers to `{target}`, which is not in the document."));
                }
                if object.len() > 1 {
                    faults.add(
                        &place,
                        "has text beside a `$ref`, which OpenAPI 3.0 ignores; wrap the `$ref` into `allOf: [...]`.",
                    );
                }
            }
            for (key, value) in object.iter().filter(|(key, _)| *key != "example") {
                walk(document, value, below(&place, key), faults);
            }
        }
        Value::Array(items) => {
            for (index, value) in items.iter().enumerate() {
                walk(document, value, format!("{place}[{index}]"), faults);
            }
        }
        _ => {}
    }
}

pub(super) fn below(place: &str, key: &str) -> String {
    if place.is_empty() { key.to_owned() } else { format!("{place}.{key}") }
}
