//! Reads YAML so that every value keeps its place and every number its digits.

mod load;
mod node;
mod place;
mod scalar;

use serde_json::Value;

pub(crate) use place::{Place, Places};

use crate::{
    Violations,
    violation::{Collector, Violation},
};

/// A document as JSON, without validation.
pub(crate) struct Source {
    pub(crate) value: Value,
    pub(crate) places: Places,
    /// What other readers would take otherwise.
    pub(crate) ambiguities: Vec<Violation>,
}

/// Reads a text in YAML or JSON.
///
/// # Errors
/// When it is not valid YAML.
pub(crate) fn read(text: &str) -> Result<Source, Violations> {
    let mut violations = Collector::default();
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let root = load::root(text, &mut violations).map_err(Violations::from)?;
    let mut reader = node::Reader { violations, places: Places::default() };
    let value = reader.value(&root, "");
    Ok(Source { value, places: reader.places, ambiguities: reader.violations.0 })
}
