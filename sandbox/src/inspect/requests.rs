//! The log of requests.

use std::sync::Arc;

use axum::{
    Json,
    extract::{self, Path, Query, rejection::QueryRejection},
    http::StatusCode,
    response::IntoResponse,
};
use serde::Deserialize;

use super::problem::{Problem, bad_request, problem};
use crate::{log::LoggedRequest, refusal::shortened, state::State};

/// The header that identifies the log of requests.
const RUN: &str = "x-sandbox-run";

#[derive(Deserialize)]
pub(super) struct After {
    #[serde(default)]
    after: u64,
}

pub(super) async fn list(
    extract::State(state): extract::State<Arc<State>>,
    after: Result<Query<After>, QueryRejection>,
) -> Result<impl IntoResponse, Problem> {
    let Query(After { after }) = after.map_err(|e| bad_request(e.body_text()))?;
    let log = state.log();
    let requests: Vec<LoggedRequest> = log.requests().filter(|request| request.number > after).cloned().collect();
    Ok(([(RUN, log.run())], Json(requests)))
}

pub(super) async fn one(
    extract::State(state): extract::State<Arc<State>>,
    Path(number): Path<String>,
) -> Result<Json<LoggedRequest>, Problem> {
    let Ok(number) = number.parse::<u64>() else {
        return Err(bad_request(format!(
            "`{}` is not the number of a request; the header X-Sandbox-Request of its reply has it",
            shortened(number)
        )));
    };
    let found = state.log().requests().find(|request| request.number == number).cloned();
    found.map(Json).ok_or_else(|| {
        let message = format!("no request has the number {number}; the log holds the last thousand since its reset");
        problem(StatusCode::NOT_FOUND, message)
    })
}
