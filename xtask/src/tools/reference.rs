//! The reference page: one HTML file, made by Redocly from the document, that loads nothing from elsewhere. How it looks is in
//! redocly.yaml and in reference.html here.

use std::fs;

use anyhow::{Context, Result, bail};

use crate::{
    artefacts::DOCUMENT,
    ci::{REDOCLY, redocly, redocly_is_there},
    root,
};

const PAGE: &str = "target/reference.html";

/// The one picture that the page would load from elsewhere, and the word that it shows.
const LOGO: &str = "https://cdn.redoc.ly/redoc/logo-mini-full.svg";
const WORD: &str = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='44' height='12'%3E%3Ctext y='10' \
                    font-family='sans-serif' font-size='11' fill='%23667'%3ERedocly%3C/text%3E%3C/svg%3E";

pub fn run() -> Result<()> {
    if !redocly_is_there() {
        bail!("the reference page needs Node.js and the npm registry: `npx {REDOCLY}` does not run here");
    }
    redocly(&["build-docs", DOCUMENT, "--inlineBundle", "--output", PAGE])?;
    let file = root().join(PAGE);
    let page = fs::read_to_string(&file).with_context(|| format!("cannot read {PAGE}"))?;
    fs::write(&file, page.replace(LOGO, WORD)).with_context(|| format!("cannot write {PAGE}"))?;
    println!("the page is {PAGE}");
    Ok(())
}
