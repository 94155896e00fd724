//! A route for each operation of the document: what it takes, refuses, and answers.

use std::{collections::BTreeMap, sync::Arc};

use axum::{
    Router,
    body::Bytes,
    extract::{DefaultBodyLimit, Path, State, rejection::BytesRejection},
    http::{HeaderMap, StatusCode, header::CONTENT_TYPE},
    routing::{post, put},
};
use business_data_connector_document::{Document, Operation};
use serde_json::{Value, value::RawValue};

use crate::{
    Refusal,
    callback::Callback,
    effect::{self, Accepted, UPLOADED, UPLOADS},
    kind::Shape,
    sandbox::Service,
};

/// The size of a body, in bytes; 10,000 records take about 2 MB.
const BODY_LIMIT: usize = 16 * 1024 * 1024;

/// An operation and where its records are.
struct Route {
    operation: Operation,
    shape: Option<Shape>,
}

/// The router over a running service.
pub(crate) fn router(document: &Document, service: Arc<Service>) -> Router {
    let mut router = Router::new().route(&format!("{UPLOADS}/{{uid}}/{{upload}}"), put(take_file));
    for operation in document.operations() {
        let route = Arc::new(Route { operation: operation.clone(), shape: Shape::of(document, operation) });
        let handler = move |State(service): State<Arc<Service>>,
                            headers: HeaderMap,
                            body: Result<Bytes, BytesRejection>| async move {
            answer(&service, &route, &headers, body)
        };
        router = router.route(&operation.path, post(handler));
    }
    router.layer(DefaultBodyLimit::max(BODY_LIMIT)).with_state(service)
}

/// The answer, always without content; a refusal is logged and kept.
fn answer(service: &Service, route: &Route, headers: &HeaderMap, body: Result<Bytes, BytesRejection>) -> StatusCode {
    let operation = route.operation.id.as_str();
    let body = body.map_err(|e| Refusal::bad_request(operation, format!("the body cannot be read: {}", e.body_text())));
    match body.and_then(|body| take(service, route, headers, &body)) {
        Ok(callback) => {
            tracing::info!(operation, "taken");
            if let Some(callback) = callback {
                tokio::spawn(callback.deliver(service.client.clone()));
            }
            StatusCode::OK
        }
        Err(refusal) => {
            tracing::warn!(operation, status = refusal.status, reason = refusal.reason, "refused");
            let status = StatusCode::from_u16(refusal.status).unwrap_or(StatusCode::BAD_REQUEST);
            service.store().refusals.push(refusal);
            status
        }
    }
}

fn take(service: &Service, route: &Route, headers: &HeaderMap, body: &[u8]) -> Result<Option<Callback>, Refusal> {
    let operation = &route.operation;
    let refuse = |reason: String| Refusal::bad_request(&operation.id, reason);
    let content_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if !content_type.split(';').next().is_some_and(|media| media.trim().eq_ignore_ascii_case("application/json")) {
        return Err(refuse("the Content-Type is not application/json".to_owned()));
    }
    let value: Value = serde_json::from_slice(body).map_err(|e| refuse(format!("the body is not JSON: {e}")))?;
    service.credentials.check(operation, headers, &value)?;
    service.schemas.check(&operation.request, &value).map_err(refuse)?;
    // Once more, as text, since a `Value` does not keep every digit.
    let members: BTreeMap<String, Box<RawValue>> =
        serde_json::from_slice(body).map_err(|e| refuse(format!("the body is not a JSON object: {e}")))?;
    let text = |name: &str| value[name].as_str().map(str::to_owned);
    let request = Accepted {
        operation,
        shape: route.shape.as_ref(),
        uid: value["uid"].as_str(),
        data: members.get("data").map(|data| &**data),
        base_url: &service.base_url,
    };
    let response = effect::carry_out(&mut service.store(), &request)?;
    let to = |webhook| {
        let operation = (operation.id.as_str(), operation.tag.as_str());
        Callback::new(operation, (webhook, text("uid"), text("signature")), response)
    };
    Ok(text("webhook").map(to))
}

/// Takes the file for an upload address that was given out.
async fn take_file(
    State(service): State<Arc<Service>>,
    Path((uid, upload)): Path<(String, String)>,
    body: Result<Bytes, BytesRejection>,
) -> StatusCode {
    let taken = body.map_err(|e| format!("the file cannot be read: {}", e.body_text()));
    match taken.and_then(|body| keep_file(&service, &uid, &upload, &body)) {
        Ok(()) => StatusCode::OK,
        Err(reason) => {
            tracing::warn!(reason, "file refused");
            service.store().refusals.push(Refusal::bad_request("upload", reason));
            StatusCode::BAD_REQUEST
        }
    }
}

fn keep_file(service: &Service, uid: &str, upload: &str, body: &[u8]) -> Result<(), String> {
    let file: Box<RawValue> = serde_json::from_slice(body).map_err(|e| format!("the file is not JSON: {e}"))?;
    let entries: Vec<Value> = serde_json::from_str(file.get())
        .map_err(|_| "the file is not a JSON array of settlement entries".to_owned())?;
    for (index, entry) in entries.iter().enumerate() {
        service.schemas.check(UPLOADED, entry).map_err(|reason| format!("/{index}{reason}"))?;
    }
    let mut store = service.store();
    let place = store.businesses.get_mut(uid).and_then(|business| business.uploads.get_mut(upload));
    *place.ok_or("no such upload address was given out")? = Some(file);
    Ok(())
}
