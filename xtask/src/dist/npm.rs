//! npm packages: a manifest and files in an archive.

use anyhow::Result;
use serde_json::{Value, json};

use super::product::Product;
use crate::archive::{Files, tar_gz};

pub struct Package<'a> {
    pub name: &'a str,
    pub version: &'a str,
    pub summary: &'a str,
    /// Further fields of `package.json`.
    pub fields: Value,
    /// By their path in the package.
    pub files: Files,
}

impl Package<'_> {
    pub fn pack(self) -> Result<Product> {
        let Self { name, version, summary, fields, mut files } = self;
        let mut manifest = json!({
            "name": name,
            "version": version,
            "description": summary,
            "license": "MIT OR Apache-2.0",
        });
        for (field, value) in fields.as_object().into_iter().flatten() {
            manifest[field] = value.clone();
        }
        files.insert("package.json".to_owned(), (serde_json::to_string_pretty(&manifest)? + "\n").into());
        // What `npm pack` names the file, and the folder in it.
        Ok(Product { name: format!("{name}-{version}.tgz"), bytes: tar_gz("package", &files)? })
    }
}
