//! `dist`: packs the sandbox and `openapi/` for teams without Rust.

mod binary;
mod licences;
mod npm;
mod openapi;
mod product;
mod sandbox;
mod types;
mod wheel;

use std::fs;

use anyhow::{Context, Result, ensure};
use clap::Args;

use crate::{
    archive::{SUMS, sum},
    check,
    workspace::{packages, root},
};

use binary::Libc;
pub use binary::{PACKAGE as SANDBOX, PROGRAM, cannot_build};
pub use openapi::NAME as OPENAPI;
use product::Product;

/// Where the packages are written.
pub const FOLDER: &str = "target/dist/packages";

#[derive(Args)]
pub struct Options {
    /// The C library that the sandbox contains [default: musl, or glibc where musl is not installed]
    #[arg(long)]
    pub libc: Option<Libc>,
    /// Compiles without optimisations, to try the packages and not to publish them.
    #[arg(long)]
    pub quick: bool,
}

pub fn run(options: &Options) -> Result<()> {
    // Stale files must not be published.
    check::run()?;
    let binary = binary::build(options.libc, options.quick)?;
    println!("packing everything twice");
    let [once, again] = [pack(&binary)?, pack(&binary)?];
    let folder = root().join(FOLDER);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    let mut sums = String::new();
    for (product, again) in once.iter().zip(&again) {
        let Product { name, bytes } = product;
        ensure!(*bytes == again.bytes && *name == again.name, "{name} is not the same when it is packed again");
        fs::write(folder.join(name), bytes).with_context(|| format!("cannot write {name}"))?;
        let sum = sum(bytes);
        println!("{FOLDER}/{name}: {} bytes, SHA-256 {sum}", bytes.len());
        sums += &format!("{sum}  {name}\n");
    }
    fs::write(folder.join(SUMS), sums)?;
    println!("both times the same bytes; the checksums are in {FOLDER}/{SUMS}");
    Ok(())
}

fn pack(binary: &binary::Binary) -> Result<Vec<Product>> {
    let mut products = sandbox::pack(binary, &version()?)?;
    products.extend(openapi::pack()?);
    Ok(products)
}

/// The version of the crates.
fn version() -> Result<String> {
    let packages = packages()?;
    let sandbox = packages.iter().find(|package| package["name"] == SANDBOX);
    let version = sandbox.and_then(|sandbox| sandbox["version"].as_str());
    Ok(version.with_context(|| format!("cargo metadata does not list {}", SANDBOX))?.to_owned())
}
