//! The HTTP API: a route for each operation of the document, the upload addresses, and the inspection API.

mod encoding;
mod json;
mod respond;
mod upload;
mod validate;

use std::sync::Arc;

use axum::{
    Extension, Router,
    extract::{self, Request},
    http::{Method, StatusCode, Uri, request::Parts},
    middleware,
    response::IntoResponse,
    routing::post,
};

use tokio::time::timeout;

use crate::{
    faults::Fault,
    http::{body, connection::ConnectionHandle, guard},
    inspect,
    refusal::{Reason, Refusal},
    spec::schemas::most_similar,
    state::State,
};

/// Routes every request of a sandbox.
pub(crate) fn router(state: &Arc<State>) -> Router {
    let mut router = inspect::router().merge(upload::router());
    for operation in state.document.operations() {
        let operation = operation.clone();
        let path = operation.path.clone();
        let handler = move |extract::State(state): extract::State<Arc<State>>,
                            Extension(connection): Extension<ConnectionHandle>,
                            request: Request| async move {
            let (shared, id) = (state.clone(), operation.id.clone());
            let (Parts { headers, .. }, body) = request.into_parts();
            let body = match validate::check_head(&state, &operation, &headers) {
                Ok(()) => {
                    let received = body::receive(&headers, body, &state.limits).await;
                    received.map_err(|reasons| Refusal::bad_request(&operation.id, reasons))
                }
                Err(refusal) => {
                    body::discard(body, &state.limits).await;
                    Err(refusal)
                }
            };
            // A task of its own, so that a client that hangs up does not stop what has begun.
            let task = tokio::spawn(async move { respond::respond(&state, &operation, &headers, body).await });
            let Ok((response, fault)) = task.await else {
                return failed(&shared, &id).into_response();
            };
            // Not within that task, which would outlive the client and the sandbox.
            let mut gone = false;
            if let Some(latency) = fault.and_then(Fault::latency) {
                gone = timeout(latency, connection.gone()).await.is_ok();
            }
            if gone || fault.is_some_and(Fault::resets) {
                connection.reset_next();
            }
            response
        };
        router = router.route(&path, post(handler));
    }
    let router = router.fallback(unknown_path).method_not_allowed_fallback(wrong_method);
    let guard = middleware::from_fn_with_state(state.clone(), guard::guard);
    router.layer(guard::cors(&state.access)).layer(guard).with_state(state.clone())
}

/// A wrong path is a common reason for a reply without content, so it is logged as any other refusal; except what has
/// nothing to do with the interface, such as the icon that browsers request by themselves.
async fn unknown_path(
    extract::State(state): extract::State<Arc<State>>,
    method: Method,
    uri: Uri,
) -> impl IntoResponse {
    let paths = state.document.operations().iter().map(|operation| &operation.path);
    let meant = most_similar(uri.path(), paths);
    if meant.is_none() && method != Method::POST {
        return StatusCode::NOT_FOUND.into_response();
    }
    let hint = meant.map(|meant| format!(", perhaps {meant}")).unwrap_or_default();
    refuse(&state, StatusCode::NOT_FOUND, "path", format!("a path of the interface{hint}"), uri.path()).into_response()
}

async fn wrong_method(
    extract::State(state): extract::State<Arc<State>>,
    method: Method,
    uri: Uri,
) -> impl IntoResponse {
    let status = StatusCode::METHOD_NOT_ALLOWED;
    if state.document.operations().iter().all(|operation| operation.path != uri.path()) {
        return status.into_response();
    }
    let expected = "POST, the method of every operation".to_owned();
    refuse(&state, status, "method", expected, method.as_str()).into_response()
}

fn refuse(state: &State, status: StatusCode, rule: &str, expected: String, got: &str) -> impl IntoResponse + use<> {
    (status, state.log_refusal("none", Some(status), vec![Reason::new("", rule, expected, got)]), ())
}

/// The reply to a request whose handler panicked.
fn failed(state: &State, operation: &str) -> impl IntoResponse + use<> {
    let status = StatusCode::INTERNAL_SERVER_ERROR;
    let reason = Reason::new("", "sandbox", "a reply", "a panic, which is a defect of the sandbox; please report it");
    (status, state.log_refusal(operation, Some(status), vec![reason]), ())
}
