//! The reference page: one self-contained HTML file that Redocly renders from the document. The settings are in
//! redocly.yaml, the template is reference.html.

use std::fs;

use anyhow::{Context, Result, bail};

use super::redocly::{self, redocly};
use crate::workspace::{DOCUMENT, root};

const PAGE: &str = "target/reference.html";

/// The page as Redocly has written it.
const MADE: &str = "target/reference.redocly.html";

/// The only image that the page would load from a server, and the text that replaces it.
const LOGO: &str = "https://cdn.redoc.ly/redoc/logo-mini-full.svg";
const TEXT: &str = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='44' height='12'%3E%3Ctext y='10' \
                    font-family='sans-serif' font-size='11' fill='%23667'%3ERedocly%3C/text%3E%3C/svg%3E";

pub fn run() -> Result<()> {
    let file = root().join(PAGE);
    fs::write(&file, page()?).with_context(|| format!("cannot write {PAGE}"))?;
    println!("written to {PAGE}");
    Ok(())
}

/// The page as HTML.
pub fn page() -> Result<String> {
    if !redocly::is_available() {
        bail!("the reference page requires Node.js and the npm registry, but `npx {}` fails", redocly::PACKAGE);
    }
    redocly(&["build-docs", DOCUMENT, "--inlineBundle", "--output", MADE])?;
    let page = fs::read_to_string(root().join(MADE)).with_context(|| format!("cannot read {MADE}"))?;
    Ok(page.replace(LOGO, TEXT))
}
