//! `bundle`: packs what teams that use other languages need into one reproducible archive.

use std::{collections::BTreeMap, fs, io::Write};

use anyhow::{Context, Result};
use flate2::{Compression, GzBuilder};
use sha2::{Digest, Sha256};
use tar::{Builder, EntryType, Header};

use crate::{
    artefacts, check,
    versions::CHANGELOG,
    workspace::{DOCUMENT, read, root},
};

/// The files in it that are not generated.
const SOURCES: [&str; 5] = [DOCUMENT, CHANGELOG, "openapi/documents.md", "LICENSE-APACHE", "LICENSE-MIT"];

/// The checksums, in the format of `sha256sum --check`.
const SUMS: &str = "SHA256SUMS";

/// The modification time of every file, 2000-01-01: a fixed one, so that the archive is reproducible.
const MTIME: u64 = 946_684_800;

pub fn run() -> Result<()> {
    // Stale files must not be published.
    check::run()?;
    let (name, files) = contents()?;
    let archive = pack(&name, &files)?;
    let path = format!("target/{name}.tar.gz");
    fs::create_dir_all(root().join("target"))?;
    fs::write(root().join(&path), &archive).with_context(|| format!("cannot write {path}"))?;
    println!("{path}: {} files, {} bytes, SHA-256 {}", files.len(), archive.len(), sum(&archive));
    Ok(())
}

/// The name of the bundle, and its files by their path in it.
fn contents() -> Result<(String, BTreeMap<String, String>)> {
    let document = artefacts::document()?;
    let version =
        document.as_value()["info"]["version"].as_str().context("the document has no `info.version`")?.to_owned();
    let mut files = BTreeMap::new();
    for (path, text) in artefacts::make()? {
        // Excludes the README of the repository, which is generated in part.
        if let Some(inner) = path.strip_prefix("openapi/") {
            files.insert(inner.to_owned(), text);
        }
    }
    for path in SOURCES {
        files.insert(path.trim_start_matches("openapi/").to_owned(), read(path)?);
    }
    files.insert("VERSION".to_owned(), format!("{version}\n"));
    let sums = files.iter().map(|(path, text)| format!("{}  {path}\n", sum(text.as_bytes())));
    files.insert(SUMS.to_owned(), sums.collect());
    Ok((format!("business-data-connector-openapi-{version}"), files))
}

/// Packs the files sorted by name, with no owner and a fixed timestamp, so that the archive is reproducible.
fn pack(name: &str, files: &BTreeMap<String, String>) -> Result<Vec<u8>> {
    // 255 means unknown; otherwise the header would contain the operating system.
    let gzip = GzBuilder::new().mtime(0).operating_system(255).write(Vec::new(), Compression::best());
    let mut archive = Builder::new(gzip);
    for (path, text) in files {
        let mut header = Header::new_ustar();
        header.set_entry_type(EntryType::Regular);
        header.set_mode(0o644);
        header.set_mtime(MTIME);
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
