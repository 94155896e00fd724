//! `bundle`: packs what teams that use other languages need into one reproducible archive.

use std::fs;

use anyhow::{Context, Result};

use crate::{
    archive::{Files, SUMS, sum, sums, tar_gz},
    artefacts, check,
    versions::CHANGELOG,
    workspace::{DOCUMENT, read, root},
};

/// The folder with a page for each language, written by hand.
const PAGES: &str = "openapi/languages";

/// The other files in it that are not generated.
const SOURCES: [&str; 5] = [DOCUMENT, CHANGELOG, "openapi/documents.md", "LICENSE-APACHE", "LICENSE-MIT"];

pub fn run() -> Result<()> {
    // Stale files must not be published.
    check::run()?;
    let (version, mut files) = contents()?;
    let sums = sums(&files);
    files.insert(SUMS.to_owned(), sums.into());
    let name = format!("business-data-connector-openapi-{version}");
    let archive = tar_gz(&name, &files)?;
    let path = format!("target/{name}.tar.gz");
    fs::create_dir_all(root().join("target"))?;
    fs::write(root().join(&path), &archive).with_context(|| format!("cannot write {path}"))?;
    println!("{path}: {} files, {} bytes, SHA-256 {}", files.len(), archive.len(), sum(&archive));
    Ok(())
}

/// The version of the document, and the files of `openapi/` with the licences, by their path in the bundle.
pub fn contents() -> Result<(String, Files)> {
    let document = artefacts::document()?;
    let version =
        document.as_value()["info"]["version"].as_str().context("the document has no `info.version`")?.to_owned();
    let mut files = Files::new();
    for (path, text) in artefacts::make()? {
        // Excludes the README of the repository, which is generated in part.
        if let Some(inner) = path.strip_prefix("openapi/") {
            files.insert(inner.to_owned(), text.into());
        }
    }
    for path in SOURCES.iter().map(|path| (*path).to_owned()).chain(pages()?) {
        files.insert(path.trim_start_matches("openapi/").to_owned(), read(&path)?.into());
    }
    files.insert("VERSION".to_owned(), format!("{version}\n").into());
    Ok((version, files))
}

/// The paths of the pages of the languages.
fn pages() -> Result<Vec<String>> {
    let entries = fs::read_dir(root().join(PAGES)).with_context(|| format!("cannot read {PAGES}"))?;
    entries.map(|entry| Ok(format!("{PAGES}/{}", entry?.file_name().to_string_lossy()))).collect()
}
