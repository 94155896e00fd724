use serde_json::{Map, Value};

use crate::{fault::Collector, referred};

/// No record is a part of itself: nobody could make an example of it, and its type in Rust would have no end.
pub(super) fn check(schemas: &Map<String, Value>, name: &str, place: &str, faults: &mut Collector) {
    if let Some(way) = way_back(schemas, name, name, &mut Vec::new()) {
        faults.add(place, format!("is a part of itself: {way}."));
    }
}

fn way_back<'a>(schemas: &'a Map<String, Value>, from: &str, to: &str, way: &mut Vec<&'a str>) -> Option<String> {
    for (property, schema) in schemas.get(from)?["properties"].as_object().into_iter().flatten() {
        let Some(target) = [schema, &schema["items"]].into_iter().find_map(referred) else { continue };
        if target == to {
            return Some(match way.as_slice() {
                [] => format!("by `{property}`"),
                way => format!("by way of {}", way.join(" and ")),
            });
        }
        if !way.contains(&target) {
            way.push(target);
            let found = way_back(schemas, target, to, way);
            way.pop();
            if found.is_some() {
                return found;
            }
        }
    }
    None
}
