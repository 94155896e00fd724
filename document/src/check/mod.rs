//! The rules that a document must follow so that everything can be generated from it. Each refusal names the location.

mod callbacks;
mod cycles;
mod list;
mod names;
mod paths;
mod record;
mod references;
mod requests;
mod schemas;
mod text;
mod upload;

use serde_json::Value;

use crate::violation::{Collector, Violation};

/// Checks that this is an OpenAPI 3.0 document at all. Runs before every other rule, since those assume it.
pub(crate) fn version(document: &Value) -> Vec<Violation> {
    let mut violations = Collector::default();
    match document["openapi"].as_str() {
        Some(version) if version.starts_with("3.0.") => {}
        Some(version) => violations.add(
            "openapi",
            format!(
                "is {version}, but only OpenAPI 3.0.x is supported, as the generator reads no other; write it as 3.0.3."
            ),
        ),
        None if !document["openapi"].is_null() => {
            violations
                .add("openapi", format!("is {}, which is not a string; write `openapi: 3.0.3`.", document["openapi"]));
        }
        None => violations.add("openapi", "is missing, so this is not an OpenAPI document; add `openapi: 3.0.3`."),
    }
    violations.0
}

/// Checks every other rule.
pub(crate) fn all(document: &Value) -> Vec<Violation> {
    let mut violations = Collector::default();
    references::check(document, &mut violations);
    text::check(document, &mut violations);
    paths::check(document, &mut violations);
    callbacks::check(document, &mut violations);
    record::check(document, &mut violations);
    upload::check(document, &mut violations);
    schemas::check(document, &mut violations);
    names::check(document, &mut violations);
    violations.0
}
