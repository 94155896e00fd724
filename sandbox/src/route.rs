//! A route for each operation of the document: what it takes, refuses, and answers.

use std::{collections::BTreeMap, sync::Arc};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::{DefaultBodyLimit, Path, State, rejection::BytesRejection},
    http::{HeaderMap, Response, StatusCode, header::CONTENT_TYPE},
    routing::{post, put},
};
use business_data_connector_document::Operation;
use serde_json::{Value, value::RawValue};

use crate::{
    Refusal,
    effect::{self, UPLOADED, UPLOADS},
    json, process,
    sandbox::Service,
    store::{
        StoreError,
        tables::{self, Queued},
    },
};

/// The router over a running service.
pub(crate) fn router(service: &Arc<Service>, body_limit: usize) -> Router {
    let mut router = Router::new().route(&format!("{UPLOADS}/{{uid}}/{{name}}"), put(take_file));
    for operation in service.document.operations() {
        let own = operation.clone();
        let handler = move |State(service): State<Arc<Service>>,
                            headers: HeaderMap,
                            body: Result<Bytes, BytesRejection>| async move {
            answer(&service, &own, &headers, body).await
        };
        router = router.route(&operation.path, post(handler));
    }
    router.layer(DefaultBodyLimit::max(body_limit)).with_state(service.clone())
}

/// The answer; a refusal is logged and kept.
async fn answer(
    service: &Arc<Service>,
    operation: &Operation,
    headers: &HeaderMap,
    body: Result<Bytes, BytesRejection>,
) -> Response<Body> {
    let id = operation.id.as_str();
    let judged = body
        .map_err(|e| Refusal::bad_request(id, format!("the body cannot be read: {}", e.body_text())))
        .and_then(|body| judge(service, operation, headers, &body));
    let taken = match judged {
        Ok(request) => take(service, operation, request).await,
        Err(refusal) => Ok(Err(refusal)),
    };
    match taken {
        Ok(Ok(result)) => {
            tracing::info!(operation = id, "taken");
            service.replies.taken(result.as_deref())
        }
        Ok(Err(refusal)) => {
            tracing::warn!(operation = id, status = refusal.status, reason = refusal.reason, "refused");
            let status = StatusCode::from_u16(refusal.status).unwrap_or(StatusCode::BAD_REQUEST);
            let response = service.replies.refused(status, &refusal.reason);
            service.refusals().push(refusal);
            response
        }
        Err(error) => {
            tracing::error!(operation = id, %error, "not answered");
            service.replies.refused(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string())
        }
    }
}

/// What a request says, once credentials, schema and keys are as they should be.
fn judge(service: &Service, operation: &Operation, headers: &HeaderMap, body: &[u8]) -> Result<Queued, Refusal> {
    let refuse = |reason: String| Refusal::bad_request(&operation.id, reason);
    let content_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if !content_type.split(';').next().is_some_and(|media| media.trim().eq_ignore_ascii_case("application/json")) {
        return Err(refuse("the Content-Type is not application/json".to_owned()));
    }
    let value = json::read(body).map_err(|e| refuse(format!("the body is not JSON: {e}")))?;
    service.credentials.check(operation, headers, &value)?;
    service.schemas.check(&operation.request, &value).map_err(refuse)?;
    let unknown = service.schemas.unknown_keys(&operation.request, &value);
    if service.strict && !unknown.is_empty() {
        return Err(refuse(unknown.join("\n")));
    }
    for warning in unknown {
        tracing::warn!(operation = operation.id, warning, "an unknown key is lost");
    }
    // Once more, as text, since a `Value` does not keep every digit.
    let members: BTreeMap<String, &RawValue> =
        serde_json::from_slice(body).map_err(|e| refuse(format!("the body is not a JSON object: {e}")))?;
    let text = |name: &str| value[name].as_str().map(str::to_owned);
    Ok(Queued {
        seq: 0,
        operation: operation.id.clone(),
        uid: text("uid"),
        data: members.get("data").map(|data| data.get().to_owned()),
        webhook: text("webhook"),
        signature: text("signature"),
    })
}

/// What came of a request that was carried out, `None` for one that was queued, or why it was refused after all.
type Taken = Result<Option<Box<RawValue>>, Refusal>;

/// Keeps a request: an asynchronous one in the queue, any other by carrying it out.
async fn take(service: &Arc<Service>, operation: &Operation, request: Queued) -> Result<Taken, StoreError> {
    let (shared, asynchronous, id) = (service.clone(), operation.asynchronous, operation.id.clone());
    let taken = service.store.run(move |db| {
        if let Some(reason) = effect::objection(db, &request, &shared.around(&request.operation))? {
            return Ok(Err(Refusal::bad_request(&id, reason)));
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

/// Takes the file for an upload address that was given out.
async fn take_file(
    State(service): State<Arc<Service>>,
    Path((uid, name)): Path<(String, String)>,
    body: Result<Bytes, BytesRejection>,
) -> StatusCode {
    let read =
        body.map_err(|e| format!("the file cannot be read: {}", e.body_text())).and_then(|body| file(&service, &body));
    let kept = match read {
        Ok(file) => service.store.run(move |db| tables::keep_upload(db, &uid, &name, &file)).await,
        Err(reason) => return refuse_file(&service, reason),
    };
    match kept {
        Ok(true) => StatusCode::OK,
        Ok(false) => refuse_file(&service, "no such upload address was given out".to_owned()),
        Err(error) => {
            tracing::error!(%error, "file not kept");
            StatusCode::INTERNAL_SERVER_ERROR
        }
    }
}

fn refuse_file(service: &Service, reason: String) -> StatusCode {
    tracing::warn!(reason, "file refused");
    service.refusals().push(Refusal::bad_request("upload", reason));
    StatusCode::BAD_REQUEST
}

/// The text of a file that is a list of settlement entries.
fn file(service: &Service, body: &[u8]) -> Result<String, String> {
    let value = json::read(body).map_err(|e| format!("the file is not JSON: {e}"))?;
    let Value::Array(entries) = value else {
        return Err("the file is not a JSON array of settlement entries".to_owned());
    };
    for (index, entry) in entries.iter().enumerate() {
        service.schemas.check(UPLOADED, entry).map_err(|reason| format!("/{index}{reason}"))?;
    }
    String::from_utf8(body.to_vec()).map_err(|e| format!("the file is not UTF-8: {e}"))
}
