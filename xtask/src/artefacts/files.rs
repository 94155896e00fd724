//! The type of a set of generated files.

use std::collections::BTreeMap;

use anyhow::Result;
use serde::Serialize;

/// The text of each generated file by its path, which is relative to the root and has slashes.
pub type Artefacts = BTreeMap<String, String>;

/// JSON as it is written to a file.
pub fn json(value: &impl Serialize) -> Result<String> {
    Ok(serde_json::to_string_pretty(value)? + "\n")
}
