//! A route for each operation of the document: what it takes, refuses, and answers.

use std::{collections::BTreeMap, sync::Arc};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::{ConnectInfo, DefaultBodyLimit, Path, Query, State, rejection::BytesRejection},
    http::{HeaderMap, Response, StatusCode, header::CONTENT_TYPE},
    response::IntoResponse,
    routing::{post, put},
};
use business_data_connector_document::Operation;
use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use crate::{
    Fault, Reason, Refusal,
    clock::now,
    connection::Reset,
    effect::{self, UPLOADED, UPLOADS},
    inspect, json,
    log::Request,
    process,
    service::Service,
    store::{
        StoreError,
        tables::{self, Queued},
    },
};

/// The header in which a request asks for a fault.
const FAULT_HEADER: &str = "x-sandbox-fault";

/// The router over a running service.
pub(crate) fn router(service: &Arc<Service>, body_limit: usize) -> Router {
    let mut router = inspect::router().route(&format!("{UPLOADS}/{{uid}}/{{name}}"), put(take_file));
    for operation in service.document.operations() {
        let operation = operation.clone();
        let path = operation.path.clone();
        let handler = move |State(service): State<Arc<Service>>,
                            ConnectInfo(reset): ConnectInfo<Reset>,
                            headers: HeaderMap,
                            body: Result<Bytes, BytesRejection>| async move {
            let own = operation;
            // On a task of its own: a caller that hangs up does not stop what has begun.
            let answered = tokio::spawn(async move { answer(&service, &own, &reset, &headers, body).await });
            answered.await.unwrap_or_else(|_| StatusCode::INTERNAL_SERVER_ERROR.into_response())
        };
        router = router.route(&path, post(handler));
    }
    router.layer(DefaultBodyLimit::max(body_limit)).with_state(service.clone())
}

/// Answers, and remembers what was asked and how it was answered.
async fn answer(
    service: &Arc<Service>,
    operation: &Operation,
    reset: &Reset,
    headers: &HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response<Body> {
    let body = body.map_err(|e| vec![Reason::new("", "body", "a body that can be read", e.body_text())]);
    let value = body.as_ref().ok().and_then(|body| json::read(body).ok()).unwrap_or(Value::Null);
    let asked = Fault::asked_for(headers.get(FAULT_HEADER), &value);
    let fault = match asked {
        Some(Ok(fault)) => Some(fault),
        Some(Err(problem)) => {
            tracing::warn!(operation = operation.id, problem, "no such fault");
            None
        }
        None => service.faults().next(&operation.id),
    };
    let length = body.as_ref().map_or(0, Bytes::len);
    let mut entry = entry(service, operation, &value, length, fault);
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
    let resets = fault.is_some_and(Fault::resets) && entry.reasons.is_empty();
    entry.status = (!resets).then_some(response.status().as_u16());
    if let Some(fault) = fault {
        tracing::info!(operation = operation.id, %fault, "fault");
    }
    entry.reasons.truncate(MOST_REASONS);
    service.log().add(entry);
    if let Some(latency) = fault.and_then(Fault::latency) {
        tokio::time::sleep(latency).await;
    }
    if resets {
        reset.next();
    }
    response
}

/// What is remembered of the reasons of one request.
const MOST_REASONS: usize = 100;

fn entry(service: &Service, operation: &Operation, body: &Value, length: usize, fault: Option<Fault>) -> Request {
    /// In bytes; larger bodies are not remembered.
    const LARGEST: usize = 64 * 1024;

    Request {
        number: 0,
        at: String::new(),
        operation: operation.id.clone(),
        uid: body["uid"].as_str().map(str::to_owned),
        status: None,
        reasons: Vec::new(),
        warnings: Vec::new(),
        fault,
        body: (length <= LARGEST && !body.is_null()).then(|| service.redaction.redacted(body)),
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
        return Err(refuse(vec![Reason::new("", "Content-Type", "application/json", "another")]));
    }
    let value = json::read(body).map_err(|e| refuse(vec![Reason::new("", "JSON", "strict JSON", e)]))?;
    service.credentials.check(operation, headers, &value)?;
    service.schemas.check(&operation.request, &value).map_err(refuse)?;
    let unknown = service.schemas.unknown_keys(&operation.request, &value);
    if service.strict && !unknown.is_empty() {
        return Err(refuse(unknown));
    }
    for warning in unknown.iter().map(ToString::to_string) {
        tracing::warn!(operation = operation.id, warning, "an unknown key is lost");
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

/// What an upload address carries behind its path.
#[derive(Deserialize)]
struct Presigned {
    #[serde(default)]
    token: String,
}

/// Takes the file for an upload address that was given out.
async fn take_file(
    State(service): State<Arc<Service>>,
    Path((uid, name)): Path<(String, String)>,
    Query(Presigned { token }): Query<Presigned>,
    body: Result<Bytes, BytesRejection>,
) -> StatusCode {
    let read = body
        .map_err(|e| vec![Reason::new("", "body", "a body that can be read", e.body_text())])
        .and_then(|body| file(&service, &body));
    let text = match read {
        Ok(text) => text,
        Err(reasons) => return refuse_file(&service, reasons),
    };
    let shared = service.clone();
    let kept = service.store.run(move |db| {
        // What was taken before is settled with the file that was there then.
        process::queue(db, &shared)?;
        let given = tables::uploads(db, &uid)?.into_iter().find(|upload| upload.name == name && upload.token == token);
        let expected = "an address that the upload-URL operation gave";
        match given {
            None => Ok(Err(Reason::new("", "upload", expected, "another"))),
            Some(upload) if upload.expires < now() => {
                Ok(Err(Reason::new("", "upload", expected, "one that has expired")))
            }
            Some(_) => tables::keep_upload(db, &uid, &name, &text).map(Ok),
        }
    });
    match kept.await {
        Ok(Ok(())) => StatusCode::OK,
        Ok(Err(reason)) => refuse_file(&service, vec![reason]),
        Err(error) => {
            tracing::error!(%error, "file not kept");
            StatusCode::INTERNAL_SERVER_ERROR
        }
    }
}

fn refuse_file(service: &Service, reasons: Vec<Reason>) -> StatusCode {
    let refusal = Refusal::bad_request("upload", reasons);
    tracing::warn!(reason = refusal.reason(), "file refused");
    service.log().add(Request {
        number: 0,
        at: String::new(),
        operation: refusal.operation,
        uid: None,
        status: Some(refusal.status),
        reasons: refusal.reasons,
        warnings: Vec::new(),
        fault: None,
        body: None,
    });
    StatusCode::BAD_REQUEST
}

/// The text of a file that is a list of settlement entries.
fn file(service: &Service, body: &[u8]) -> Result<String, Vec<Reason>> {
    let one = |rule, expected, got: String| vec![Reason::new("", rule, expected, got)];
    let value = json::read(body).map_err(|e| one("JSON", "strict JSON", e))?;
    let Value::Array(entries) = value else {
        return Err(one("type", "an array of settlement entries", "something else".to_owned()));
    };
    for (index, entry) in entries.iter().enumerate() {
        service.schemas.check(UPLOADED, entry).map_err(|mut reasons| {
            reasons.iter_mut().for_each(|reason| reason.pointer = format!("/{index}{}", reason.pointer));
            reasons
        })?;
    }
    String::from_utf8(body.to_vec()).map_err(|e| one("UTF-8", "text in UTF-8", e.to_string()))
}
