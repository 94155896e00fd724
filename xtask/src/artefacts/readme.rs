//! The table of operations in the READMEs.

use anyhow::{Context, Result};
use business_data_connector_document::{Document, Operation};

/// The files that contain the table.
pub const PATHS: [&str; 2] = ["README.md", "openapi/README.md"];

const BEGIN: &str = "<!-- operations: made by `cargo xtask regen`, do not edit -->\n";
const END: &str = "<!-- operations end -->";

/// A README with its table regenerated, between the markers.
pub fn with_table(path: &str, readme: &str, document: &Document) -> Result<String> {
    let markers =
        || format!("{path}: the markers of the operation table are missing; restore {} and {END}", BEGIN.trim_end());
    let (before, rest) = readme.split_once(BEGIN).with_context(markers)?;
    let (_, after) = rest.split_once(END).with_context(markers)?;
    Ok(format!("{before}{BEGIN}\n{}\n{END}{after}", table(document.operations())))
}

fn table(operations: &[Operation]) -> String {
    let mut table =
        String::from("| operation | path | header | required | optional | effect |\n|---|---|---|---|---|---|\n");
    for operation in operations {
        let effect = operation.effect.as_str();
        let asynchronous = if operation.asynchronous { ", asynchronous" } else { "" };
        table += &format!(
            "| `{}` | `{}` | {} | {} | {} | {effect}{asynchronous} |\n",
            operation.id,
            operation.path,
            operation.header_key.as_deref().unwrap_or(""),
            operation.required.join(", "),
            operation.optional.join(", "),
        );
    }
    table
}
