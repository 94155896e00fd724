//! Chromium, in which the pages are tested.

use std::{fs, path::PathBuf};

use anyhow::Result;

use crate::{command::succeeds, workspace::root};

pub fn is_available() -> bool {
    succeeds("chromium", &["--version"])
}

/// Whether Chromium can be controlled by WebDriver.
pub fn has_driver() -> bool {
    is_available() && succeeds("chromedriver", &["--version"])
}

/// The path for a screenshot, which is kept for inspection.
pub fn screenshot(name: &str) -> Result<PathBuf> {
    let folder = root().join("target/pictures");
    fs::create_dir_all(&folder)?;
    println!("screenshot: target/pictures/{name}");
    Ok(folder.join(name))
}
