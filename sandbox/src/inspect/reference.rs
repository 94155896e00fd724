//! The reference page of the interface, made in the browser from the document that is served, with a form that sends
//! requests to this sandbox.

use std::sync::Arc;

use axum::{Json, Router, extract, response::IntoResponse, routing::get};

use super::html;
use crate::state::State;

const PAGE: &str = include_str!("reference.html");

pub(super) fn router() -> Router<Arc<State>> {
    Router::new()
        .route("/_sandbox/reference", get(|| async { html::page(PAGE) }))
        .route("/_sandbox/connector.json", get(document))
}

async fn document(extract::State(state): extract::State<Arc<State>>) -> impl IntoResponse {
    Json(state.document.as_value().clone())
}
