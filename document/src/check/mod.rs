//! The rules that a document must keep, so that everything can be made from it. A rule a sentence, with the place.

mod cycles;
mod names;
mod paths;
mod references;
mod schemas;
mod text;

use serde_json::Value;

use crate::fault::{Collector, Fault};

/// Whether this is an OpenAPI 3.0 document at all. Apart from the rest, since nothing else can be judged before.
pub(crate) fn version(document: &Value) -> Vec<Fault> {
    let mut faults = Collector::default();
    match document["openapi"].as_str() {
        Some(version) if version.starts_with("3.0.") => {}
        Some(version) => faults.add(
            "openapi",
            format!(
                "is {version}, but only 3.0.x can be read: the generator knows no other. Write the document as 3.0.3."
            ),
        ),
        None if !document["openapi"].is_null() => {
            faults.add("openapi", format!("is {}, which is not text; write `openapi: 3.0.3`.", document["openapi"]));
        }
        None => faults.add("openapi", "is missing: this is not an OpenAPI document. It must say `openapi: 3.0.3`."),
    }
    faults.0
}

/// Every other rule.
pub(crate) fn all(document: &Value) -> Vec<Fault> {
    let mut faults = Collector::default();
    references::check(document, &mut faults);
    text::check(document, &mut faults);
    paths::check(document, &mut faults);
    schemas::check(document, &mut faults);
    names::check(document, &mut faults);
    faults.0
}
