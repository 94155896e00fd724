//! Refuses what foreign pages send, on every route, and adds the headers that keep pages from being framed or sniffed.

use std::sync::Arc;

use axum::{
    Json,
    extract::{self, Request},
    http::{HeaderName, HeaderValue, Method, StatusCode, header},
    middleware::Next,
    response::{IntoResponse, Response},
};
use serde_json::json;
use tower_http::cors::{AllowHeaders, CorsLayer};

use super::body::is_json;
use crate::{access::Access, callbacks::webhook::USER_AGENT, refusal::Reason, state::State};

/// The path below which everything but the operations is.
const INSPECTION: &str = "/_sandbox";

/// What every reply has, unless it has its own.
const HEADERS: [(HeaderName, HeaderValue); 5] = [
    (
        header::CONTENT_SECURITY_POLICY,
        HeaderValue::from_static("default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"),
    ),
    (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")),
    (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    (HeaderName::from_static("cross-origin-resource-policy"), HeaderValue::from_static("same-origin")),
];

/// Lets the pages of the permitted origins send requests and read the replies.
pub(crate) fn cors(access: &Access) -> CorsLayer {
    CorsLayer::new()
        .allow_origin(access.cors())
        .allow_methods([Method::GET, Method::POST, Method::PUT, Method::DELETE])
        .allow_headers(AllowHeaders::mirror_request())
        .expose_headers(["x-sandbox-run", "x-sandbox-request", "retry-after"].map(HeaderName::from_static))
        .allow_private_network(true)
}

/// Passes a request on, unless it is foreign.
pub(crate) async fn guard(extract::State(state): extract::State<Arc<State>>, request: Request, next: Next) -> Response {
    let mut response = match check(&state, &request) {
        Ok(()) => next.run(request).await,
        Err((status, reason)) => refuse(&state, request.uri().path(), status, reason),
    };
    let headers = response.headers_mut();
    for (name, value) in HEADERS {
        headers.entry(name).or_insert(value);
    }
    response
}

fn check(state: &State, request: &Request) -> Result<(), (StatusCode, Reason)> {
    let headers = request.headers();
    state.access.check(state.listen, request.uri(), headers).map_err(|reason| (StatusCode::FORBIDDEN, reason))?;
    let (method, path) = (request.method(), request.uri().path());
    if !is_inspection(path) || matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS) {
        return Ok(());
    }
    // A request that names a webhook decides where a callback goes.
    if headers.get(header::USER_AGENT).is_some_and(|agent| agent == USER_AGENT) {
        let expected = "a request that is not the callback of a sandbox";
        return Err((StatusCode::FORBIDDEN, Reason::new("", "callback", expected, "a callback")));
    }
    // The other methods are never sent by a page of another origin without its being asked first.
    if *method == Method::POST && !is_json(headers) {
        let expected = "Content-Type: application/json, with or without a body";
        return Err((StatusCode::UNSUPPORTED_MEDIA_TYPE, Reason::new("", "Content-Type", expected, "another or none")));
    }
    Ok(())
}

fn refuse(state: &State, path: &str, status: StatusCode, reason: Reason) -> Response {
    let message = reason.to_string();
    let operation = state.document.operations().iter().find(|operation| operation.path == path);
    let inspection = is_inspection(path);
    let name = operation.map_or(if inspection { "inspection" } else { "none" }, |operation| &operation.id);
    let number = state.log_refusal(name, Some(status), vec![reason]);
    // An operation is refused without content, as specified.
    match inspection {
        true => (status, number, Json(json!({ "message": message }))).into_response(),
        false => (status, number, ()).into_response(),
    }
}

fn is_inspection(path: &str) -> bool {
    path.strip_prefix(INSPECTION).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
