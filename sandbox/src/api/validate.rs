//! Validates a request for an operation: its media type, its JSON, its credentials, its schema and its keys.

use axum::http::{HeaderMap, header::CONTENT_TYPE};
use business_data_connector_document::Operation;
use serde_json::Value;

use super::json::Parsed;
use crate::{
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
    body: Result<Parsed, String>,
    warnings: &mut Vec<String>,
) -> Result<Queued, Refusal> {
    let refuse = |reasons: Vec<Reason>| Refusal::bad_request(&operation.id, reasons);
    check_media_type(headers).map_err(|reason| refuse(vec![reason]))?;
    let body = body.map_err(|problem| refuse(vec![Reason::new("", "JSON", "strict JSON", problem)]))?;
    let value = body.value();
    state.credentials.check(operation, headers, value)?;
    state.schemas.validate(&operation.request, value).map_err(refuse)?;
    let mut unknown = state.schemas.unknown_keys(&operation.request, value);
    if state.strict {
        unknown.extend(missing_observed(operation, value));
        if !unknown.is_empty() {
            return Err(refuse(unknown));
        }
    }
    for warning in unknown.iter().map(ToString::to_string) {
        tracing::warn!(operation = operation.id, warning, "unknown key");
        warnings.push(warning);
    }
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
    })
}

fn check_media_type(headers: &HeaderMap) -> Result<(), Reason> {
    let content_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    // Without parameters, which may hold anything.
    let media_type = content_type.split(';').next().unwrap_or_default();
    if media_type.trim().eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    let got = if media_type.is_empty() { "none" } else { media_type };
    Err(Reason::new("", "Content-Type", "application/json", got))
}

/// The members of `data` that deployed services were observed to require, and that are missing.
fn missing_observed(operation: &Operation, body: &Value) -> impl Iterator<Item = Reason> {
    let missing = operation.observed_required.iter().filter(|name| body["data"].get(*name).is_none());
    missing.map(|name| {
        let expected = "a value, which deployed services were observed to require";
        Reason::new(format!("/data/{name}"), "observed", expected, "nothing")
    })
}
