use heck::ToSnakeCase;
use serde_json::Value;

use crate::{BODY_CREDENTIALS, DECIMAL, referred, violation::Collector};

/// The inherent methods of `Call` in the library, including private ones. An optional field with one of these names
/// could not have a setter. `tests/preparations.rs` compares the list with `src/`.
const METHODS_OF_CALL: [&str; 8] =
    ["new", "timeout", "no_timeout", "retry_policy", "idempotent", "with", "set", "awaiting"];

/// Names leave room for what is generated beside them.
pub(super) fn check(document: &Value, violations: &mut Collector) {
    let items = document["paths"].as_object().into_iter().flatten();
    let requests: Vec<_> = items
        .filter_map(|(_, item)| referred(&item["post"]["requestBody"]["content"]["application/json"]["schema"]))
        .collect();
    for (name, schema) in document["components"]["schemas"].as_object().into_iter().flatten() {
        let location = format!("components.schemas.{name}");
        if name == DECIMAL {
            let problem = "has a name that is reserved for the Rust type of `type: number`; choose another.";
            violations.add(&location, problem);
        }
        let is_request = requests.contains(&name.as_str());
        setters(schema, is_request, &location, violations);
    }
}

fn setters(schema: &Value, is_request: bool, location: &str, violations: &mut Collector) {
    let required: Vec<_> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let is_credential = |name: &str| is_request && BODY_CREDENTIALS.contains(&name);
    let properties = schema["properties"].as_object().into_iter().flatten().map(|(name, _)| name.as_str());
    let optional: Vec<_> = properties.filter(|name| !required.contains(name) && !is_credential(name)).collect();
    let maybe: Vec<_> = optional.iter().map(|name| format!("maybe_{}", name.to_snake_case())).collect();
    for name in optional {
        let (method, location) = (name.to_snake_case(), format!("{location}.properties.{name}"));
        if method == "new" || maybe.contains(&method) {
            let problem = "would have a setter with the name of the constructor, or of the `maybe_` setter of another \
                           property; rename the property.";
            violations.add(&location, problem);
        } else if is_request && METHODS_OF_CALL.contains(&method.as_str()) {
            violations.add(&location, "is also the name of a method of `Call`; rename the property.");
        }
    }
}
