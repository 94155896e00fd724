//! Types for Python and TypeScript, made by the generators that `interop` tests.

use std::{fs, path::Path, process::Command};

use anyhow::{Context, Result};

use crate::{
    command::run,
    tools::{node, python},
    workspace::root,
};

/// The schema with every type once.
const SCHEMA: &str = "openapi/schemas/requests.schema.json";

const FOLDER: &str = "target/dist/types";

/// Typed dictionaries, which are what `json.loads` returns, and need no package at run time. An amount is a `Decimal`.
pub fn python() -> Result<String> {
    let package = python::pinned("datamodel-code-generator")?;
    let program = python::program(&package, "datamodel-codegen", &python::AS_INTEROP)?;
    made("types.py", |output| {
        let mut generate = Command::new(program);
        generate.args(["--input", SCHEMA, "--input-file-type", "jsonschema", "--formatters", "builtin"]);
        generate.args(["--output-model-type", "typing.TypedDict", "--target-python-version", "3.11"]);
        generate.args(["--type-mappings", "number+default=decimal", "--disable-timestamp"]);
        generate.args(["--use-schema-description", "--use-field-description", "--use-double-quotes", "--output"]);
        run(generate.arg(output))
    })
}

pub fn typescript() -> Result<String> {
    let program = node::program("json2ts")?;
    made("types.d.ts", |output| run(Command::new(program).args(["--input", SCHEMA, "--output"]).arg(output)))
}

/// What a generator writes to a file.
fn made(name: &str, generate: impl FnOnce(&Path) -> Result<()>) -> Result<String> {
    let folder = root().join(FOLDER);
    fs::create_dir_all(&folder)?;
    let file = folder.join(name);
    generate(&file)?;
    fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))
}
