//! The packages of the sandbox: an archive, a Python wheel and an npm package with its program.

use anyhow::{Context, Result};
use serde_json::json;

use super::{
    binary::{Binary, PACKAGE, PROGRAM},
    licences,
    npm::Package,
    product::Product,
    wheel::Wheel,
};
use crate::{
    archive::{File, Files, SUMS, sums, tar_gz},
    tools::reference,
    workspace::read,
};

const SUMMARY: &str = "A local sandbox of the Business Data Connector Service, for development and tests";

pub fn pack(binary: &Binary, version: &str) -> Result<Vec<Product>> {
    let program = || File::executable(binary.file.bytes.clone());
    let licences = licences::of(&binary.target)?;
    let readme = read("sandbox/README.md")?;
    let (arch, _) = binary.target.split_once('-').context("a target has no architecture")?;

    let mut files = licences()?;
    files.insert(PROGRAM.to_owned(), program());
    files.insert("README.md".to_owned(), readme.clone().into());
    files.insert("Containerfile".to_owned(), read("sandbox/Containerfile")?.into());
    files.insert("reference.html".to_owned(), reference::page()?.into());
    let sums = sums(&files);
    files.insert(SUMS.to_owned(), sums.into());
    let name = format!("{PROGRAM}-{version}-{arch}-linux");
    let archive = Product { bytes: tar_gz(&name, &files)?, name: format!("{name}.tar.gz") };

    let scripts = format!("{}-{version}.data/scripts/{PROGRAM}", PACKAGE.replace('-', "_"));
    let wheel = Wheel {
        name: PACKAGE,
        version,
        summary: SUMMARY,
        readme: &readme,
        // It runs with every C library, because it uses none.
        tags: &[format!("py3-none-manylinux_2_17_{arch}"), format!("py3-none-musllinux_1_1_{arch}")],
        classifiers: &["Environment :: Console", "Operating System :: POSIX :: Linux"],
        files: &Files::from([(scripts, program())]),
        licences: &licences()?,
    };

    let mut files = licences()?;
    files.insert(PROGRAM.to_owned(), program());
    files.insert("README.md".to_owned(), readme.clone().into());
    let npm = Package {
        name: PACKAGE,
        version,
        summary: SUMMARY,
        fields: json!({
            "bin": { PROGRAM: PROGRAM },
            "os": ["linux"],
            "cpu": [if arch == "x86_64" { "x64" } else { "arm64" }],
        }),
        files,
    };
    Ok(vec![archive, wheel.pack()?, npm.pack()?])
}
