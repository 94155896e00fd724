//! The faults to inject, and what there is to choose from.

use std::sync::Arc;

use axum::{
    Json,
    extract::{self, Path},
    http::StatusCode,
};
use business_data_connector_document::Operation;
use serde::Serialize;

use super::problem::{Problem, bad_request, problem};
use crate::{
    faults::{ActiveRule, Fault},
    http::body::ReceivedBody,
    refusal::{lines, shortened},
    state::State,
};

type Shared = extract::State<Arc<State>>;

pub(super) async fn list(extract::State(state): Shared) -> Json<Vec<ActiveRule>> {
    Json(state.faults().list())
}

/// The number of a rule that was added.
#[derive(Serialize)]
pub(super) struct Added {
    id: u64,
}

pub(super) async fn add(
    extract::State(state): Shared,
    ReceivedBody(body): ReceivedBody,
) -> Result<(StatusCode, Json<Added>), Problem> {
    let body = body.map_err(|reasons| bad_request(lines(&reasons)))?;
    let rule = serde_json::from_slice(&body).map_err(bad_request)?;
    let id = state.add_fault(rule).map_err(bad_request)?;
    Ok((StatusCode::CREATED, Json(Added { id })))
}

pub(super) async fn remove(extract::State(state): Shared, Path(id): Path<String>) -> Result<StatusCode, Problem> {
    let Ok(number) = id.parse() else {
        return Err(bad_request(format!("`{}` is not the id of a fault rule", shortened(id))));
    };
    if state.faults().remove(number) {
        return Ok(StatusCode::NO_CONTENT);
    }
    Err(problem(StatusCode::NOT_FOUND, format!("no fault rule has the id {number}; it may be used up")))
}

pub(super) async fn remove_all(extract::State(state): Shared) -> StatusCode {
    state.faults().clear();
    StatusCode::NO_CONTENT
}

/// What a fault rule can be made of.
#[derive(Serialize)]
pub(super) struct Choices {
    faults: Vec<Choice>,
    operations: Vec<NamedOperation>,
}

#[derive(Serialize)]
struct NamedOperation {
    operation: String,
    /// The tag of the operation, such as `push`.
    direction: String,
}

#[derive(Serialize)]
struct Choice {
    fault: &'static str,
    effect: &'static str,
}

fn named(operation: &Operation) -> NamedOperation {
    NamedOperation { operation: operation.id.clone(), direction: operation.tag.clone() }
}

pub(super) async fn choices(extract::State(state): Shared) -> Json<Choices> {
    Json(Choices {
        faults: Fault::SYNTAX.iter().map(|&(fault, effect)| Choice { fault, effect }).collect(),
        operations: state.document.operations().iter().map(named).collect(),
    })
}
