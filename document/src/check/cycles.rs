use serde_json::{Map, Value};

use crate::{referred, violation::Collector};

/// No record contains itself: neither an example of it nor a Rust type of finite size would exist.
pub(super) fn check(schemas: &Map<String, Value>, name: &str, location: &str, violations: &mut Collector) {
    if let Some(path) = path_to(schemas, name, name, &mut Vec::new()) {
        violations.add(
            location,
            format!("contains itself {path}; break the cycle, since no Rust type of finite size can represent it."),
        );
    }
}

fn path_to<'a>(schemas: &'a Map<String, Value>, from: &str, to: &str, path: &mut Vec<&'a str>) -> Option<String> {
    for (property, schema) in schemas.get(from)?["properties"].as_object().into_iter().flatten() {
        let Some(target) = [schema, &schema["items"]].into_iter().find_map(referred) else { continue };
        if target == to {
            return Some(match path.as_slice() {
                [] => format!("through `{property}`"),
                path => format!("through {}", path.join(" and ")),
            });
        }
        if !path.contains(&target) {
            path.push(target);
            let found = path_to(schemas, target, to, path);
            path.pop();
            if found.is_some() {
                return found;
            }
        }
    }
    None
}
