//! The packages of `openapi/`: a Python wheel and an npm package with schemas, vectors and types.

use anyhow::Result;
use serde_json::json;

use super::{npm::Package, product::Product, types, wheel::Wheel};
use crate::{archive::Files, bundle};

pub const NAME: &str = "business-data-connector-openapi";
const SUMMARY: &str =
    "The interface of the Business Data Connector Service: OpenAPI document, schemas, vectors and types";
const INIT: &str = include_str!("templates/__init__.py");
const INDEX: &str = include_str!("templates/index.js");
const INDEX_TYPES: &str = include_str!("templates/index.d.ts");

pub fn pack() -> Result<Vec<Product>> {
    Ok(vec![wheel()?, npm()?])
}

fn wheel() -> Result<Product> {
    let (version, contents) = bundle::contents()?;
    let (licences, mut files): (Files, Files) = contents.into_iter().partition(|(path, _)| path.starts_with("LICENSE"));
    let readme = files.get("README.md").map(|file| String::from_utf8_lossy(&file.bytes).into_owned());
    files.insert("__init__.py".to_owned(), INIT.to_owned().into());
    files.insert("types.py".to_owned(), types::python()?.into());
    // Says that the package has types: PEP 561.
    files.insert("py.typed".to_owned(), String::new().into());
    let module = NAME.replace('-', "_");
    let wheel = Wheel {
        name: NAME,
        version: &version,
        summary: SUMMARY,
        readme: &readme.unwrap_or_default(),
        tags: &["py3-none-any".to_owned()],
        classifiers: &["Typing :: Typed"],
        files: &files.into_iter().map(|(path, file)| (format!("{module}/{path}"), file)).collect(),
        licences: &licences,
    };
    wheel.pack()
}

fn npm() -> Result<Product> {
    let (version, mut files) = bundle::contents()?;
    files.insert("index.js".to_owned(), INDEX.to_owned().into());
    files.insert("index.d.ts".to_owned(), INDEX_TYPES.to_owned().into());
    files.insert("types.d.ts".to_owned(), types::typescript()?.into());
    let package = Package {
        name: NAME,
        version: &version,
        summary: SUMMARY,
        fields: json!({
            "type": "module",
            "types": "./index.d.ts",
            "exports": {
                // Its types are beside it.
                ".": "./index.js",
                // Every file of `openapi/` by its path in it.
                "./*": "./*",
            },
        }),
        files,
    };
    package.pack()
}
