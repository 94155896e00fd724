//! The rules that a document must follow so that everything can be generated from it. Each refusal names the location.

mod callbacks;
mod cycles;
mod declared;
mod descriptions;
mod keywords;
mod limits;
mod list;
mod names;
mod paths;
mod record;
mod references;
mod requests;
mod rust;
mod schemas;
mod shape;
mod text;
mod unused;
mod upload;

use serde_json::Value;

use crate::violation::Collector;

/// Whether this is an OpenAPI 3.0 document at all, which every other rule assumes.
pub(crate) fn version(document: &Value, violations: &mut Collector) -> bool {
    match document["openapi"].as_str() {
        Some(version) if version.starts_with("3.0.") => return true,
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
    false
}

/// Checks every other rule.
pub(crate) fn all(document: &Value, violations: &mut Collector) {
    keywords::DOCUMENT.check(document, "", violations);
    references::check(document, violations);
    text::check(document, violations);
    declared::check(document, violations);
    paths::check(document, violations);
    descriptions::check(document, violations);
    callbacks::check(document, violations);
    record::check(document, violations);
    upload::check(document, violations);
    schemas::check(document, violations);
    names::check(document, violations);
    rust::check(document, violations);
}

/// Checks that everything that is defined is used. Runs after every other rule.
pub(crate) fn unused(document: &Value, violations: &mut Collector) {
    unused::check(document, violations);
}
