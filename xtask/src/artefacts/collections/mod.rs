//! Requests that can be sent at once, to the sandbox or to a service: a Postman collection and a file for editors.

mod http;
mod postman;
mod steps;
mod variables;

use anyhow::Result;
use business_data_connector_document::Document;

use super::files::Artefacts;

/// A collection for Postman, Newman, Bruno, Insomnia and others.
pub const POSTMAN: &str = "openapi/postman.json";

/// Requests for the HTTP clients of editors.
pub const REQUESTS: &str = "openapi/requests.http";

/// Both files.
pub fn artefacts(document: &Document) -> Result<Artefacts> {
    let variables = variables::of(document);
    let steps = steps::of(document, &variables);
    Ok(Artefacts::from([
        (POSTMAN.to_owned(), postman::collection(document, &variables, &steps)?),
        (REQUESTS.to_owned(), http::requests(&variables, &steps)?),
    ]))
}
