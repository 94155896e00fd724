//! Steps that run linters of OpenAPI documents, and browsers.

use std::process::Command;

use anyhow::Result;

use crate::{
    artefacts::documents,
    command::{cargo, leave_out, run},
    tools::{
        chromium,
        redocly::{self, PACKAGE, redocly},
        reference, spectral,
    },
    workspace::DOCUMENT,
};

/// Lints our OpenAPI documents with the rules in redocly.yaml and .spectral.yaml.
pub fn lint() -> Result<()> {
    if !redocly::is_available() || !spectral::is_available() {
        return leave_out(format!("the OpenAPI linters, since `npx {PACKAGE}` or `npx {}` fails", spectral::PACKAGE));
    }
    redocly(&["lint", DOCUMENT, documents::JSON, documents::DEPLOYED, INSPECTION])?;
    spectral::lint(&[DOCUMENT, documents::JSON, documents::DEPLOYED])
}

/// The document of the sandbox's inspection API.
const INSPECTION: &str = "sandbox/src/inspect/inspection.yaml";

/// Compares our verdicts on single edits with those of Redocly.
pub fn compare() -> Result<()> {
    if !redocly::is_available() {
        return leave_out(format!("the comparison with Redocly's verdicts, since `npx {PACKAGE}` fails"));
    }
    cargo(&["test", "--quiet", "--package", "xtask", "--bin", "xtask", "--", "--ignored", "redocly"])
}

/// Tests the sandbox's page in a browser.
pub fn sandbox() -> Result<()> {
    if !chromium::has_driver() {
        return leave_out("the sandbox's page in a browser (Debian: apt-get install chromium chromium-driver)");
    }
    let mut test = Command::new(env!("CARGO"));
    test.args(["test", "--quiet", "--package", "business-data-connector-sandbox", "--test", "page", "--", "--ignored"]);
    run(test.env("BDC_PAGE_PICTURE", chromium::screenshot("sandbox.png")?))
}

/// Tests the reference page in a browser.
pub fn reference() -> Result<()> {
    if !redocly::is_available() || !chromium::is_available() {
        return leave_out(format!("the reference page, since `npx {PACKAGE}` or chromium fails"));
    }
    reference::run()?;
    let mut test = Command::new(env!("CARGO"));
    test.args(["test", "--quiet", "--package", "xtask", "--test", "reference", "--", "--ignored"]);
    run(test.env("BDC_PAGE_PICTURE", chromium::screenshot("reference.png")?))
}
