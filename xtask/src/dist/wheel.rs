//! Python wheels, packed by PyPA's `wheel`.

use std::{fs, path::Path, process::Command};

use anyhow::{Context, Result, ensure};

use super::product::Product;
use crate::{
    archive::{Files, MTIME},
    command::run,
    tools::python,
    workspace::root,
};

const TOOL: &str = "wheel==0.48.0";

pub struct Wheel<'a> {
    /// The name of the package, with hyphens.
    pub name: &'a str,
    pub version: &'a str,
    pub summary: &'a str,
    pub readme: &'a str,
    /// Such as `py3-none-any`; several for a program that runs in several places.
    pub tags: &'a [String],
    pub classifiers: &'a [&'a str],
    /// By their path in the wheel.
    pub files: &'a Files,
    /// By their name.
    pub licences: &'a Files,
}

impl Wheel<'_> {
    pub fn pack(&self) -> Result<Product> {
        // Python writes pre-releases otherwise.
        let plain = self.version.split('.').all(|part| part.parse::<u32>().is_ok());
        ensure!(plain, "{} is no version of a wheel, which has numbers and dots only", self.version);
        let work = root().join("target/dist/wheel").join(self.name);
        if work.exists() {
            fs::remove_dir_all(&work)?;
        }
        let [unpacked, packed] = ["unpacked", "packed"].map(|name| work.join(name));
        fs::create_dir_all(&packed)?;
        write_all(&unpacked, self.files)?;
        let info = unpacked.join(format!("{}-{}.dist-info", self.module(), self.version));
        write_all(&info.join("licenses"), self.licences)?;
        write_all(&info, &self.info())?;
        let mut pack = Command::new(python::program(TOOL, "wheel", &[])?);
        pack.arg("pack").arg(&unpacked).arg("--dest-dir").arg(&packed);
        // The time of every file in it.
        run(pack.env("SOURCE_DATE_EPOCH", MTIME.to_string()))?;
        let file = fs::read_dir(&packed)?.next().context("`wheel pack` has made nothing")??;
        Ok(Product { name: file.file_name().to_string_lossy().into_owned(), bytes: fs::read(file.path())? })
    }

    /// The name with underscores, as in the names of wheels and modules.
    fn module(&self) -> String {
        self.name.replace('-', "_")
    }

    /// The files that describe it. `wheel pack` adds the list of files.
    fn info(&self) -> Files {
        let Self { name, version, summary, readme, .. } = self;
        let mut metadata = format!(
            "Metadata-Version: 2.4\nName: {name}\nVersion: {version}\nSummary: {summary}\n\
             License-Expression: MIT OR Apache-2.0\n"
        );
        metadata.extend(self.licences.keys().map(|licence| format!("License-File: {licence}\n")));
        metadata.extend(self.classifiers.iter().map(|classifier| format!("Classifier: {classifier}\n")));
        metadata += &format!("Requires-Python: >=3.11\nDescription-Content-Type: text/markdown\n\n{readme}");
        let pure = self.tags.iter().all(|tag| tag.ends_with("-any"));
        let mut wheel = format!("Wheel-Version: 1.0\nGenerator: {TOOL}\nRoot-Is-Purelib: {pure}\n");
        wheel.extend(self.tags.iter().map(|tag| format!("Tag: {tag}\n")));
        [("METADATA", metadata), ("WHEEL", wheel)].map(|(name, text)| (name.to_owned(), text.into())).into()
    }
}

/// Writes files, with the permissions that are recorded in a wheel.
fn write_all(folder: &Path, files: &Files) -> Result<()> {
    for (path, file) in files {
        let path = folder.join(path);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
        }
        fs::write(&path, &file.bytes).with_context(|| format!("cannot write {}", path.display()))?;
        // Elsewhere nothing is packed: see `cannot_build`.
        #[cfg(unix)]
        fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(file.mode()))?;
    }
    Ok(())
}
