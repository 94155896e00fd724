use std::collections::BTreeMap;

use heck::{ToPascalCase, ToSnakeCase};
use serde_json::Value;

use crate::fault::Collector;

/// Names that are told apart in JSON are told apart in Rust too.
pub(super) fn check(document: &Value, faults: &mut Collector) {
    let schemas = &document["components"]["schemas"];
    distinct(schemas, "components.schemas", |name| name.to_pascal_case(), faults);
    for (name, schema) in schemas.as_object().into_iter().flatten() {
        if *name != name.to_pascal_case() {
            faults.add(&format!("components.schemas.{name}"), "must be in PascalCase, as the type that it becomes.");
        }
        let place = format!("components.schemas.{name}.properties");
        distinct(&schema["properties"], &place, |name| name.to_snake_case(), faults);
    }
}

fn distinct(names: &Value, place: &str, convert: fn(&str) -> String, faults: &mut Collector) {
    let mut seen = BTreeMap::new();
    for name in names.as_object().into_iter().flatten().map(|(name, _)| name) {
        let converted = convert(name);
        if converted.is_empty() {
            faults.add(place, format!("has `{name}`, of which no Rust name can be made."));
        } else if let Some(other) = seen.insert(converted.clone(), name) {
            faults.add(place, format!("has `{other}` and `{name}`, which both become `{converted}` in Rust."));
        }
    }
}
