//! The client that progenitor generates with its default settings, as a peer of the connector.

use std::{env, error::Error, fs, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    const DOCUMENT: &str = "../../openapi/connector.json";
    println!("cargo::rerun-if-changed={DOCUMENT}");
    println!("cargo::rerun-if-changed=build.rs");
    let document: openapiv3::OpenAPI = serde_json::from_str(&fs::read_to_string(DOCUMENT)?)?;
    let tokens = progenitor::Generator::default().generate_tokens(&document)?;
    let text = prettyplease::unparse(&syn::parse2(tokens)?);
    fs::write(Path::new(&env::var("OUT_DIR")?).join("progenitor.rs"), text)?;
    Ok(())
}
