//! Generates the client from `openapi/connector.yaml` in four steps: parse, prepare, generate, and add our own items.

#[path = "codegen/awaiting.rs"]
mod awaiting;
#[path = "codegen/callbacks.rs"]
mod callbacks;
#[path = "codegen/envelope.rs"]
mod envelope;
#[path = "codegen/examples.rs"]
mod examples;
#[path = "codegen/generate.rs"]
mod generate;
#[path = "codegen/operations.rs"]
mod operations;
#[path = "codegen/prepare.rs"]
mod prepare;
#[path = "codegen/pushed.rs"]
mod pushed;
#[path = "codegen/records.rs"]
mod records;
#[path = "codegen/uploads.rs"]
mod uploads;

use std::{env, error::Error, fs, path::Path};

use business_data_connector_document::{Document, Violations};

const DOCUMENT: &str = "openapi/connector.yaml";

fn main() {
    println!("cargo::rerun-if-changed={DOCUMENT}");
    if let Err(error) = run() {
        let lines = match error.downcast_ref::<Violations>() {
            Some(violations) => violations.in_file(DOCUMENT),
            None => format!("{DOCUMENT}: {error}"),
        };
        for line in lines.lines() {
            println!("cargo::error={line}");
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let document = Document::parse(&fs::read_to_string(DOCUMENT)?)?;
    let prepared = prepare::prepared(&document)?;
    let mut file = generate::client(&prepared)?;
    records::complete(&mut file, &document)?;
    let envelope = envelope::items(&mut file, &document)?;
    file.items.extend(envelope);
    let operations = operations::items(&mut file, &document)?;
    file.items.extend(operations);
    let target = env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR for a build script")?;
    fs::write(Path::new(&target).join("generated.rs"), prettyplease::unparse(&file))?;
    Ok(())
}
