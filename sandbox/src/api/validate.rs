//! Validates a request for an operation, what is cheap before what is not: its media type, its credentials, its JSON,
//! its schema and its keys.

use axum::http::HeaderMap;
use business_data_connector_document::Operation;
use serde_json::Value;

use super::json::Parsed;
use crate::{
    http::body::{is_json, media_type},
    refusal::{Reason, Refusal},
    state::State,
    store::tables::Queued,
};

/// A valid request as it is queued. Tolerated mistakes are added to the warnings.
///
/// # Errors
/// The refusal of an invalid one.
pub(crate) fn validate(
    state: &State,
    operation: &Operation,
    headers: &HeaderMap,
    body: &Parsed,
    warnings: &mut Vec<String>,
) -> Result<Queued, Refusal> {
    let refuse = |reasons: Vec<Reason>| Refusal::bad_request(&operation.id, reasons);
    state.credentials.check_pair(operation, body.text().as_bytes())?;
    let value = body.value();
    state.schemas.validate(&operation.request, body.outline()).map_err(refuse)?;
    let mut unknown = body.outline().unknown_keys();
    if state.strict {
        unknown.extend(missing_observed(operation, value));
        if !unknown.is_empty() {
            return Err(refuse(unknown));
        }
    }
    warnings.extend(unknown.iter().map(ToString::to_string));
    let text = |name: &str| value[name].as_str().map(str::to_owned);
    Ok(Queued {
        seq: 0,
        operation: operation.id.clone(),
        uid: text("uid"),
        data: body.data().map(str::to_owned),
        webhook: text("webhook"),
        signature: text("signature"),
        email: text("email"),
        fault: None,
        base_url: state.access.base_url(headers),
    })
}

/// What can be checked before the body is read: its media type, and the credentials in the head.
///
/// # Errors
/// The refusal of a request whose body need not be read.
pub(crate) fn check_head(state: &State, operation: &Operation, headers: &HeaderMap) -> Result<(), Refusal> {
    if !is_json(headers) {
        let got = match media_type(headers) {
            "" => "none",
            other => other,
        };
        let reason = Reason::new("", "Content-Type", "application/json", got);
        return Err(Refusal::bad_request(&operation.id, vec![reason]));
    }
    state.credentials.check_header(operation, headers)
}

/// The members of `data` that deployed services were observed to require, and that are missing.
fn missing_observed(operation: &Operation, body: &Value) -> impl Iterator<Item = Reason> {
    let missing = operation.observed_required.iter().filter(|name| body["data"].get(*name).is_none());
    missing.map(|name| {
        let expected = "a value, which deployed services were observed to require";
        Reason::new(format!("/data/{name}"), "observed", expected, "nothing")
    })
}
