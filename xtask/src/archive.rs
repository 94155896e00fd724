//! Reproducible archives: the same files are the same bytes, whenever and wherever they are packed.

use std::{collections::BTreeMap, io::Write};

use anyhow::Result;
use flate2::{Compression, GzBuilder};
use sha2::{Digest, Sha256};
use tar::{Builder, EntryType, Header};

/// The modification time of every file, 2000-01-01: a fixed one, so that the archive is reproducible.
pub const MTIME: u64 = 946_684_800;

/// The checksums of the files in an archive, in the format of `sha256sum --check`.
pub const SUMS: &str = "SHA256SUMS";

/// Files by their path in the archive.
pub type Files = BTreeMap<String, File>;

pub struct File {
    pub bytes: Vec<u8>,
    pub executable: bool,
}

impl File {
    pub fn executable(bytes: Vec<u8>) -> Self {
        Self { bytes, executable: true }
    }

    pub fn mode(&self) -> u32 {
        if self.executable { 0o755 } else { 0o644 }
    }
}

impl From<String> for File {
    fn from(text: String) -> Self {
        Self { bytes: text.into_bytes(), executable: false }
    }
}

/// Packs the files sorted by name, with no owner and a fixed timestamp, so that the archive is reproducible.
pub fn tar_gz(folder: &str, files: &Files) -> Result<Vec<u8>> {
    // 255 means unknown; otherwise the header would contain the operating system.
    let gzip = GzBuilder::new().mtime(0).operating_system(255).write(Vec::new(), Compression::best());
    let mut archive = Builder::new(gzip);
    for (path, file) in files {
        let mut header = Header::new_ustar();
        header.set_entry_type(EntryType::Regular);
        header.set_mode(file.mode());
        header.set_mtime(MTIME);
        header.set_size(file.bytes.len().try_into()?);
        archive.append_data(&mut header, format!("{folder}/{path}"), file.bytes.as_slice())?;
    }
    let mut gzip = archive.into_inner()?;
    gzip.flush()?;
    Ok(gzip.finish()?)
}

/// The lines of `SHA256SUMS`.
pub fn sums(files: &Files) -> String {
    files.iter().map(|(path, file)| format!("{}  {path}\n", sum(&file.bytes))).collect()
}

pub fn sum(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
