//! The inspection API below `/_sandbox/`, which shows what the replies do not, and the page that uses it.
//! `inspection.yaml` describes the API.

mod callbacks;
mod html;
mod reference;

use std::sync::Arc;

use axum::{
    Json, Router,
    extract::{self, Path, Query, rejection::QueryRejection},
    http::{StatusCode, header::CONTENT_TYPE},
    response::{IntoResponse, Redirect},
    routing::{get, post},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json, value::RawValue};

pub(crate) use self::callbacks::last_callbacks;
pub use self::callbacks::{CallbackState, LoggedAttempt, LoggedCallback};
use crate::{
    faults::FaultRule,
    http::body::ReceivedBody,
    log::LoggedRequest,
    operations::queue::settle,
    refusal::lines,
    spec::redaction::Unknown,
    state::State,
    store::{Record, StoreError, tables},
};

/// The OpenAPI document of the inspection API.
const DOCUMENT: &str = include_str!("inspection.yaml");

/// The page.
const PAGE: &str = include_str!("page.html");

pub(crate) fn router() -> Router<Arc<State>> {
    Router::new()
        .route("/_sandbox", get(|| async { Redirect::permanent("/_sandbox/") }))
        .route("/_sandbox/", get(|| async { html::page(PAGE) }))
        .merge(reference::router())
        .route("/_sandbox/openapi.yaml", get(|| async { ([(CONTENT_TYPE, "application/yaml")], DOCUMENT) }))
        .route("/_sandbox/requests", get(requests))
        .route("/_sandbox/businesses", get(businesses))
        .route("/_sandbox/businesses/{uid}/records", get(records))
        .route("/_sandbox/callbacks", get(callbacks))
        .route("/_sandbox/faults", get(faults).post(add_fault).delete(remove_faults))
        .route("/_sandbox/reset", post(reset))
}

type Shared = extract::State<Arc<State>>;

/// An error, as `Problem` in the document.
type Problem = (StatusCode, Json<Value>);

fn problem(status: StatusCode, message: impl Into<String>) -> Problem {
    (status, Json(json!({ "message": message.into() })))
}

fn bad_request(message: impl ToString) -> Problem {
    problem(StatusCode::BAD_REQUEST, message.to_string())
}

fn store_failed(error: StoreError) -> Problem {
    problem(StatusCode::INTERNAL_SERVER_ERROR, format!("the store failed: {error}"))
}

#[derive(Deserialize)]
struct After {
    #[serde(default)]
    after: u64,
}

/// The header that identifies the log of requests.
const RUN: &str = "x-sandbox-run";

async fn requests(
    extract::State(state): Shared,
    after: Result<Query<After>, QueryRejection>,
) -> Result<impl IntoResponse, Problem> {
    let Query(After { after }) = after.map_err(|e| bad_request(e.body_text()))?;
    let log = state.log();
    let requests: Vec<LoggedRequest> = log.requests().filter(|request| request.number > after).cloned().collect();
    Ok(([(RUN, log.run())], Json(requests)))
}

/// A business without secrets, and the number of its records.
#[derive(Serialize)]
struct Business {
    uid: String,
    data: Box<RawValue>,
    records: i64,
}

/// How many rows are read at a time, so that nobody waits for all of them.
const AT_ONCE: usize = 500;

async fn businesses(extract::State(state): Shared) -> Result<Json<Vec<Business>>, Problem> {
    settle(&state).await.map_err(store_failed)?;
    let mut shown: Vec<Business> = Vec::new();
    loop {
        let after = shown.last().map(|business| business.uid.clone());
        let businesses = state.store.read(move |db| tables::businesses(db, after.as_deref(), AT_ONCE));
        let businesses = businesses.await.map_err(store_failed)?;
        let is_last = businesses.len() < AT_ONCE;
        shown.extend(businesses.into_iter().map(|business| Business {
            uid: business.uid,
            data: state.redaction.redacted(&business.data, Unknown::Shown),
            records: business.records,
        }));
        if is_last {
            return Ok(Json(shown));
        }
    }
}

/// A record without secrets.
#[derive(Serialize)]
struct ShownRecord {
    kind: String,
    id: Option<String>,
    data: Box<RawValue>,
}

async fn records(extract::State(state): Shared, Path(uid): Path<String>) -> Result<Json<Vec<ShownRecord>>, Problem> {
    settle(&state).await.map_err(store_failed)?;
    let named = uid.clone();
    let exists = state.store.read(move |db| Ok(tables::business(db, &named)?.is_some()));
    if !exists.await.map_err(store_failed)? {
        return Err(problem(StatusCode::NOT_FOUND, "no business has this uid"));
    }
    let (mut shown, mut next) = (Vec::new(), Some(0));
    while let Some(position) = next {
        let uid = uid.clone();
        let page = state.store.read(move |db| tables::records_after(db, &uid, position, AT_ONCE));
        let page = page.await.map_err(store_failed)?;
        shown.extend(page.records.into_iter().map(|record: Record| ShownRecord {
            data: state.redaction.redacted(&record.data, Unknown::Shown),
            kind: record.record_type,
            id: record.id,
        }));
        next = page.next;
    }
    Ok(Json(shown))
}

async fn callbacks(extract::State(state): Shared) -> Result<Json<Vec<LoggedCallback>>, Problem> {
    callbacks::read_callbacks(&state).await.map(Json).map_err(store_failed)
}

async fn faults(extract::State(state): Shared) -> Json<Vec<FaultRule>> {
    Json(state.faults().list())
}

async fn add_fault(extract::State(state): Shared, ReceivedBody(body): ReceivedBody) -> Result<StatusCode, Problem> {
    let body = body.map_err(|reasons| bad_request(lines(&reasons)))?;
    let rule = serde_json::from_slice(&body).map_err(bad_request)?;
    state.add_fault(rule).map_err(bad_request)?;
    Ok(StatusCode::CREATED)
}

async fn remove_faults(extract::State(state): Shared) -> StatusCode {
    state.faults().clear();
    StatusCode::NO_CONTENT
}

async fn reset(extract::State(state): Shared) -> Result<StatusCode, Problem> {
    state.store.run(tables::reset).await.map_err(store_failed)?;
    state.log().clear();
    state.faults().clear();
    Ok(StatusCode::NO_CONTENT)
}
