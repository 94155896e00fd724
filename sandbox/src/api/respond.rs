//! Handles a request for an operation, from its body to its reply and its entry in the log.

use std::sync::Arc;

use axum::{
    body::{Body, Bytes},
    http::{HeaderMap, Response, StatusCode},
    response::IntoResponse,
};
use business_data_connector_document::Operation;
use serde_json::{json, value::RawValue};

use super::{encoding, json::Parsed, validate::validate};
use crate::{
    callbacks::webhook::callable,
    faults::{Fault, requested},
    log::LoggedRequest,
    operations::{effects, queue},
    refusal::{Reason, Refusal, shortened},
    spec::redaction::Unknown,
    state::State,
    store::{
        StoreError,
        tables::{self, Queued},
    },
};

/// The header in which a request asks for a fault.
const FAULT_HEADER: &str = "x-sandbox-fault";

/// Replies to a request, and logs both. The fault is what remains to be done to the reply.
pub(crate) async fn respond(
    state: &Arc<State>,
    operation: &Operation,
    headers: &HeaderMap,
    body: Result<Bytes, Refusal>,
) -> (Response<Body>, Option<Fault>) {
    let body = body.and_then(|body| parse(state, operation, headers, body));
    let parsed = body.as_ref().ok();
    let notes = parsed.and_then(|parsed| parsed.outline().notes());
    let (fault, problem) = match requested(headers.get(FAULT_HEADER), &json!({ "notes": notes })) {
        Some(Ok(fault)) => (Some(fault), None),
        Some(Err(problem)) => (None, Some(shortened(problem.to_string()))),
        None => (state.faults().next(&operation.id), None),
    };
    let mut entry = log_entry(state, operation, parsed, fault);
    entry.warnings.extend(problem);
    let response = match fault.and_then(Fault::replacement) {
        Some(response) => response,
        None => {
            let regular = handle(state, operation, headers, body, fault, &mut entry).await;
            // A refusal is replied to as usual.
            match fault.filter(|_| entry.reasons.is_empty()) {
                Some(fault) => fault.degraded(regular),
                None => regular,
            }
        }
    };
    // A refusal is sent, not replaced by a reset of the connection.
    let remaining = fault.filter(|fault| !fault.resets() || entry.reasons.is_empty());
    entry.status = (!remaining.is_some_and(Fault::resets)).then_some(response.status().as_u16());
    ((state.log_request(entry), response).into_response(), remaining)
}

/// The largest body that is logged, in bytes.
const MAX_LOGGED: usize = 64 * 1024;

/// Parses a body. A larger one only if its credentials are known, since nothing of it would be logged either.
fn parse(state: &State, operation: &Operation, headers: &HeaderMap, body: Bytes) -> Result<Parsed, Refusal> {
    if body.len() > MAX_LOGGED {
        state.credentials.check_pair(operation, &body)?;
    }
    Parsed::parse(body, |text| state.schemas.read(&operation.request, text)).map_err(|problem| {
        // The compressions that have no magic number can only be told by the header.
        let problem = encoding::named(headers).unwrap_or(problem);
        Refusal::bad_request(&operation.id, vec![Reason::new("", "JSON", "strict JSON", problem)])
    })
}

fn log_entry(state: &State, operation: &Operation, body: Option<&Parsed>, fault: Option<Fault>) -> LoggedRequest {
    let mut entry = LoggedRequest::new(&operation.id);
    entry.fault = fault;
    if let Some(body) = body {
        entry.uid = body.value()["uid"].as_str().map(shortened);
        let logged = body.text().len() <= MAX_LOGGED && !body.value().is_null();
        entry.body = logged.then(|| state.redaction.redacted_text(body.text(), Unknown::Hidden));
    }
    entry
}

/// The reply to a request that no fault replaces.
async fn handle(
    state: &Arc<State>,
    operation: &Operation,
    headers: &HeaderMap,
    body: Result<Parsed, Refusal>,
    fault: Option<Fault>,
    entry: &mut LoggedRequest,
) -> Response<Body> {
    let validated = body.and_then(|body| validate(state, operation, headers, &body, &mut entry.warnings));
    let outcome = match validated {
        Ok(mut request) => {
            request.fault = fault.map(|fault| fault.to_string());
            let call = |webhook: &String| callable(webhook, state.listen, state.remote_callbacks).err();
            entry.warnings.extend(request.webhook.as_ref().and_then(call));
            accept(state, operation, request).await
        }
        Err(refusal) => Ok(Err(refusal)),
    };
    match outcome {
        Ok(Ok(result)) => {
            entry.accepted = true;
            state.replies.accepted(result.as_deref())
        }
        Ok(Err(refusal)) => {
            let reason = refusal.reason();
            let status = StatusCode::from_u16(refusal.status).unwrap_or(StatusCode::BAD_REQUEST);
            entry.reasons = refusal.reasons;
            state.replies.refused(status, &reason)
        }
        Err(error) => {
            entry.reasons = vec![Reason::new("", "store", "a working store", error.to_string())];
            state.replies.refused(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string())
        }
    }
}

/// The result of an executed request, `None` for a queued one; or why it was refused after all.
type Accepted = Result<Option<Box<RawValue>>, Refusal>;

/// Stores a valid request: an asynchronous one in the queue, any other by executing it.
async fn accept(state: &Arc<State>, operation: &Operation, request: Queued) -> Result<Accepted, StoreError> {
    let (shared, asynchronous, id) = (state.clone(), operation.asynchronous, operation.id.clone());
    let job = state.store.run(move |db| {
        if let Some(reason) = effects::check_preconditions(db, &request)? {
            return Ok(Err(Refusal::bad_request(&id, vec![reason])));
        }
        if asynchronous {
            tables::enqueue(db, &request)?;
            return Ok(Ok(None));
        }
        // Requests that were queued before are executed before.
        queue::drain_queue(db, &shared)?;
        queue::execute(db, &shared, &request).map(|result| Ok(Some(result)))
    });
    let accepted = job.await?;
    match &accepted {
        Ok(None) => state.queue_changed.notify_one(),
        Ok(Some(_)) => state.callbacks_changed.notify_one(),
        Err(_) => {}
    }
    Ok(accepted)
}
