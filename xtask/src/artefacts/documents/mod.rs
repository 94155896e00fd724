//! The document in the forms that tools take: as JSON with examples, and as deployed services reply.

mod examples;
mod observed;
mod overlay;

use anyhow::{Context, Result};
use business_data_connector_document::Document;

use super::files::{Artefacts, json};

/// The document as JSON, with whole-body examples.
pub const JSON: &str = "openapi/connector.json";

/// The OpenAPI Overlay that turns it into the document of deployed services.
pub const OVERLAY: &str = "openapi/overlay.yaml";

/// The result.
pub const DEPLOYED: &str = "openapi/connector.deployed.json";

/// The three documents.
pub fn artefacts(document: &Document) -> Result<Artefacts> {
    let base = examples::added(document);
    let actions = observed::actions(document.as_value());
    let version = document.as_value()["info"]["version"].as_str().context("the document has no `info.version`")?;
    let deployed = overlay::applied(&base, &actions)?;
    Ok(Artefacts::from([
        (JSON.to_owned(), json(&base)?),
        (OVERLAY.to_owned(), overlay::yaml(version, &actions)?),
        (DEPLOYED.to_owned(), json(&deployed)?),
    ]))
}
