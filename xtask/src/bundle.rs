//! `bundle`: what a team in another language gets, as one archive with the same bytes on every machine.

use std::{collections::BTreeMap, fs, io::Write};

use anyhow::{Context, Result};
use flate2::{Compression, GzBuilder};
use sha2::{Digest, Sha256};
use tar::{Builder, EntryType, Header};

use crate::{
    artefacts::{self, DOCUMENT},
    check, root,
};

/// What is in it beside what is made from the document.
const WRITTEN: [&str; 3] = [DOCUMENT, "LICENSE-APACHE", "LICENSE-MIT"];

/// The checksums, as `sha256sum --check` reads them.
const SUMS: &str = "SHA256SUMS";

/// The time of every file: 2000-01-01, since there is none that would be the same everywhere.
const TIME: u64 = 946_684_800;

pub fn run() -> Result<()> {
    // What is stale here would be stale there.
    check::run()?;
    let (name, files) = contents()?;
    let archive = packed(&name, &files)?;
    let path = format!("target/{name}.tar.gz");
    fs::create_dir_all(root().join("target"))?;
    fs::write(root().join(&path), &archive).with_context(|| format!("cannot write {path}"))?;
    println!("{path}: {} files, {} bytes, SHA-256 {}", files.len(), archive.len(), sum(&archive));
    Ok(())
}

/// The name of the bundle, and its files by the path inside it.
fn contents() -> Result<(String, BTreeMap<String, String>)> {
    let document = artefacts::document()?;
    let version = document.as_value()["info"]["version"].as_str().context("the document has no version")?.to_owned();
    let mut files = BTreeMap::new();
    for (path, text) in artefacts::make()? {
        // The README of the repository is not that of the folder.
        if let Some(inner) = path.strip_prefix("openapi/") {
            files.insert(inner.to_owned(), text);
        }
    }
    for path in WRITTEN {
        files.insert(path.trim_start_matches("openapi/").to_owned(), artefacts::read(path)?);
    }
    files.insert("VERSION".to_owned(), format!("{version}\n"));
    let sums = files.iter().map(|(path, text)| format!("{}  {path}\n", sum(text.as_bytes())));
    files.insert(SUMS.to_owned(), sums.collect());
    Ok((format!("business-data-connector-openapi-{version}"), files))
}

/// The archive: files in the order of their names, of nobody, of one time.
fn packed(name: &str, files: &BTreeMap<String, String>) -> Result<Vec<u8>> {
    // The operating system would stand in the header otherwise; 255 is none.
    let gzip = GzBuilder::new().mtime(0).operating_system(255).write(Vec::new(), Compression::best());
    let mut archive = Builder::new(gzip);
    for (path, text) in files {
        let mut header = Header::new_ustar();
        header.set_entry_type(EntryType::Regular);
        header.set_mode(0o644);
        header.set_mtime(TIME);
        header.set_size(text.len().try_into()?);
        archive.append_data(&mut header, format!("{name}/{path}"), text.as_bytes())?;
    }
    let mut gzip = archive.into_inner()?;
    gzip.flush()?;
    Ok(gzip.finish()?)
}

fn sum(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
