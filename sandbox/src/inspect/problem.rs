use axum::{Json, http::StatusCode};
use serde_json::{Value, json};

use crate::store::StoreError;

/// An error, as `Problem` in the document.
pub(super) type Problem = (StatusCode, Json<Value>);

pub(super) fn problem(status: StatusCode, message: impl Into<String>) -> Problem {
    (status, Json(json!({ "message": message.into() })))
}

pub(super) fn bad_request(message: impl ToString) -> Problem {
    problem(StatusCode::BAD_REQUEST, message.to_string())
}

pub(super) fn store_failed(error: StoreError) -> Problem {
    problem(StatusCode::INTERNAL_SERVER_ERROR, format!("the store failed: {error}"))
}
