//! A route for each operation of the document: what it takes, refuses, and answers.

pub(crate) mod json;
pub(crate) mod upload;

use std::{collections::BTreeMap, sync::Arc};

use axum::{
    Extension, Router,
    body::{Body, Bytes},
    extract::{DefaultBodyLimit, State},
    http::{HeaderMap, Method, Response, StatusCode, Uri, header::CONTENT_TYPE},
    response::IntoResponse,
    routing::post,
};
use business_data_connector_document::Operation;
use serde_json::{Value, value::RawValue};

use crate::{
    Fault, Reason, Refusal,
    connection::Line,
    effect, inspect,
    log::Request,
    process,
    reason::shortened,
    received::Received,
    redaction::Unknown,
    schemas::likely,
    service::Service,
    store::{
        StoreError,
        tables::{self, Queued},
    },
};

/// The header in which a request asks for a fault.
const FAULT_HEADER: &str = "x-sandbox-fault";

/// The router over a running service.
pub(crate) fn router(service: &Arc<Service>) -> Router {
    let mut router = inspect::router().merge(upload::router());
    for operation in service.document.operations() {
        let operation = operation.clone();
        let path = operation.path.clone();
        let handler = move |State(service): State<Arc<Service>>,
                            Extension(line): Extension<Line>,
                            headers: HeaderMap,
                            Received(body): Received| async move {
            let own = operation;
            // On a task of its own: a caller that hangs up does not stop what has begun.
            let answered = tokio::spawn(async move { answer(&service, &own, &headers, body).await });
            let Ok((response, fault)) = answered.await else {
                return StatusCode::INTERNAL_SERVER_ERROR.into_response();
            };
            // Not on that task, which would outlast the caller and the sandbox.
            if let Some(latency) = fault.and_then(Fault::latency) {
                tokio::time::sleep(latency).await;
            }
            if fault.is_some_and(Fault::resets) {
                line.reset_next();
            }
            response
        };
        router = router.route(&path, post(handler));
    }
    let router = router.fallback(nothing_here).method_not_allowed_fallback(other_method);
    router.layer(DefaultBodyLimit::max(service.limits.body)).with_state(service.clone())
}

/// Where a request goes that reaches no operation. A wrong address is a common reason for an answer without content, so it is
/// told as any other refusal, unless it has nothing to do with the interface, as what browsers ask for by themselves.
async fn nothing_here(State(service): State<Arc<Service>>, method: Method, uri: Uri) -> StatusCode {
    let paths = service.document.operations().iter().map(|operation| &operation.path);
    let meant = likely(uri.path(), paths);
    if meant.is_some() || method == Method::POST {
        let hint = meant.map(|meant| format!(", perhaps {meant}")).unwrap_or_default();
        refuse_elsewhere(&service, StatusCode::NOT_FOUND, "path", format!("a path of the interface{hint}"), uri.path());
    }
    StatusCode::NOT_FOUND
}

async fn other_method(State(service): State<Arc<Service>>, method: Method, uri: Uri) -> StatusCode {
    let status = StatusCode::METHOD_NOT_ALLOWED;
    if service.document.operations().iter().any(|operation| operation.path == uri.path()) {
        refuse_elsewhere(&service, status, "method", "POST, as for every operation".to_owned(), method.as_str());
    }
    status
}

fn refuse_elsewhere(service: &Service, status: StatusCode, rule: &str, expected: String, got: &str) {
    service.refuse_elsewhere("none", Some(status), vec![Reason::new("", rule, expected, got)]);
}

/// Answers, and remembers what was asked and how it was answered. The fault is what is left to be done with the answer.
async fn answer(
    service: &Arc<Service>,
    operation: &Operation,
    headers: &HeaderMap,
    body: Result<Bytes, Vec<Reason>>,
) -> (Response<Body>, Option<Fault>) {
    let value = body.as_ref().ok().and_then(|body| json::read(body).ok()).unwrap_or(Value::Null);
    let asked = Fault::asked_for(headers.get(FAULT_HEADER), &value);
    let (fault, problem) = match asked {
        Some(Ok(fault)) => (Some(fault), None),
        Some(Err(problem)) => (None, Some(shortened(problem))),
        None => (service.faults().next(&operation.id), None),
    };
    let mut entry = entry(service, operation, &value, body.as_deref().unwrap_or_default(), fault);
    if let Some(problem) = problem {
        tracing::warn!(operation = operation.id, problem, "no such fault");
        entry.warnings.push(problem);
    }
    let response = match fault.and_then(Fault::instead) {
        Some(response) => response,
        None => {
            let answer = regular(service, operation, headers, body, fault, &mut entry).await;
            // What was refused gets the answer that it deserves.
            match fault.filter(|_| entry.reasons.is_empty()) {
                Some(fault) => fault.spoilt(answer),
                None => answer,
            }
        }
    };
    // A connection is not reset in place of a refusal.
    let left = fault.filter(|fault| !fault.resets() || entry.reasons.is_empty());
    entry.status = (!left.is_some_and(Fault::resets)).then_some(response.status().as_u16());
    if let Some(fault) = fault {
        tracing::info!(operation = operation.id, %fault, "fault");
    }
    service.log().add(entry);
    (response, left)
}

fn entry(service: &Service, operation: &Operation, value: &Value, body: &[u8], fault: Option<Fault>) -> Request {
    /// In bytes; larger bodies are not remembered.
    const LARGEST: usize = 64 * 1024;

    // What is no strict JSON was read as null.
    let text = Some(body).filter(|body| body.len() <= LARGEST && !value.is_null());
    let text: Option<&RawValue> = text.and_then(|body| serde_json::from_slice(body).ok());
    Request {
        number: 0,
        at: String::new(),
        operation: operation.id.clone(),
        uid: value["uid"].as_str().map(shortened),
        status: None,
        reasons: Vec::new(),
        warnings: Vec::new(),
        fault,
        body: text.map(|text| service.redaction.redacted(text, Unknown::Hidden)),
    }
}

/// The answer to a request with which nothing goes wrong but what it brings itself.
async fn regular(
    service: &Arc<Service>,
    operation: &Operation,
    headers: &HeaderMap,
    body: Result<Bytes, Vec<Reason>>,
    fault: Option<Fault>,
    entry: &mut Request,
) -> Response<Body> {
    let id = operation.id.as_str();
    let judged = body
        .map_err(|reasons| Refusal::bad_request(id, reasons))
        .and_then(|body| judge(service, operation, headers, &body, &mut entry.warnings));
    let taken = match judged {
        Ok(mut request) => {
            request.fault = fault.map(|fault| fault.to_string());
            take(service, operation, request).await
        }
        Err(refusal) => Ok(Err(refusal)),
    };
    match taken {
        Ok(Ok(result)) => {
            tracing::info!(operation = id, "taken");
            service.replies.taken(result.as_deref())
        }
        Ok(Err(refusal)) => {
            let reason = refusal.reason();
            tracing::warn!(operation = id, status = refusal.status, reason, "refused");
            let status = StatusCode::from_u16(refusal.status).unwrap_or(StatusCode::BAD_REQUEST);
            entry.reasons = refusal.reasons;
            service.replies.refused(status, &reason)
        }
        Err(error) => {
            tracing::error!(operation = id, %error, "not answered");
            entry.reasons = vec![Reason::new("", "store", "a store that works", error.to_string())];
            service.replies.refused(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string())
        }
    }
}

/// What a request says, once credentials, schema and keys are as they should be.
fn judge(
    service: &Service,
    operation: &Operation,
    headers: &HeaderMap,
    body: &[u8],
    warnings: &mut Vec<String>,
) -> Result<Queued, Refusal> {
    let refuse = |reasons: Vec<Reason>| Refusal::bad_request(&operation.id, reasons);
    let content_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if !content_type.split(';').next().is_some_and(|media| media.trim().eq_ignore_ascii_case("application/json")) {
        // Without parameters, which may hold anything.
        let got = content_type.split(';').next().filter(|media| !media.is_empty()).unwrap_or("none");
        return Err(refuse(vec![Reason::new("", "Content-Type", "application/json", got)]));
    }
    let value = json::read(body).map_err(|e| refuse(vec![Reason::new("", "JSON", "strict JSON", e)]))?;
    service.credentials.check(operation, headers, &value)?;
    service.schemas.check(&operation.request, &value).map_err(refuse)?;
    let mut unknown = service.schemas.unknown_keys(&operation.request, &value);
    if service.strict {
        unknown.extend(unobserved(operation, &value));
        if !unknown.is_empty() {
            return Err(refuse(unknown));
        }
    }
    for warning in unknown.iter().map(ToString::to_string) {
        tracing::warn!(operation = operation.id, warning, "a key is not known");
        warnings.push(warning);
    }
    // Once more, as text, since a `Value` does not keep every digit.
    let members: BTreeMap<String, &RawValue> =
        serde_json::from_slice(body).map_err(|e| refuse(vec![Reason::new("", "JSON", "an object", e.to_string())]))?;
    let text = |name: &str| value[name].as_str().map(str::to_owned);
    Ok(Queued {
        seq: 0,
        operation: operation.id.clone(),
        uid: text("uid"),
        data: members.get("data").map(|data| data.get().to_owned()),
        webhook: text("webhook"),
        signature: text("signature"),
        email: text("email"),
        fault: None,
    })
}

/// What deployed services were seen to want, and is not there.
fn unobserved(operation: &Operation, body: &Value) -> impl Iterator<Item = Reason> {
    let missing = operation.observed_required.iter().filter(|name| body["data"].get(*name).is_none());
    missing.map(|name| {
        Reason::new(format!("/data/{name}"), "observed", "a value, as deployed services were seen to want", "nothing")
    })
}

/// What came of a request that was carried out, `None` for one that was queued, or why it was refused after all.
type Taken = Result<Option<Box<RawValue>>, Refusal>;

/// Keeps a request: an asynchronous one in the queue, any other by carrying it out.
async fn take(service: &Arc<Service>, operation: &Operation, request: Queued) -> Result<Taken, StoreError> {
    let (shared, asynchronous, id) = (service.clone(), operation.asynchronous, operation.id.clone());
    let taken = service.store.run(move |db| {
        if let Some(reason) = effect::objection(db, &request)? {
            return Ok(Err(Refusal::bad_request(&id, vec![reason])));
        }
        if asynchronous {
            tables::enqueue(db, &request)?;
            return Ok(Ok(None));
        }
        // What was queued before comes before.
        process::queue(db, &shared)?;
        process::one(db, &shared, &request).map(|result| Ok(Some(result)))
    });
    let taken = taken.await?;
    match &taken {
        Ok(None) => service.queue_changed.notify_one(),
        Ok(Some(_)) => service.callbacks_changed.notify_one(),
        Err(_) => {}
    }
    Ok(taken)
}
