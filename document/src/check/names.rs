use std::collections::BTreeMap;

use heck::{ToPascalCase, ToSnakeCase};
use serde_json::Value;

use crate::violation::Collector;

/// Names that differ in JSON must differ in Rust too.
pub(super) fn check(document: &Value, violations: &mut Collector) {
    let schemas = &document["components"]["schemas"];
    distinct(schemas, "components.schemas", |name| name.to_pascal_case(), violations);
    for (name, schema) in schemas.as_object().into_iter().flatten() {
        if *name != name.to_pascal_case() {
            violations.add(
                &format!("components.schemas.{name}"),
                "must be in PascalCase, because it becomes the name of a Rust type.",
            );
        }
        let location = format!("components.schemas.{name}.properties");
        distinct(&schema["properties"], &location, |name| name.to_snake_case(), violations);
    }
}

fn distinct(names: &Value, location: &str, convert: fn(&str) -> String, violations: &mut Collector) {
    let mut seen = BTreeMap::new();
    for name in names.as_object().into_iter().flatten().map(|(name, _)| name) {
        let converted = convert(name);
        if converted.is_empty() {
            violations.add(location, format!("has `{name}`, which cannot be converted to a Rust name; rename it."));
        } else if let Some(other) = seen.insert(converted.clone(), name) {
            violations.add(
                location,
                format!("has `{other}` and `{name}`, which both become `{converted}` in Rust; rename one."),
            );
        }
    }
}
