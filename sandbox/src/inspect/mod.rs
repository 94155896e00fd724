//! The inspection API, below `/_sandbox/`: what the answers do not tell. `inspection.yaml` describes it.

use std::{sync::Arc, time::UNIX_EPOCH};

use axum::{
    Json, Router,
    extract::{Path, Query, State, rejection::QueryRejection},
    http::{StatusCode, header::CONTENT_TYPE},
    response::{Html, IntoResponse, Redirect},
    routing::{get, post},
};
use serde::{Deserialize, Serialize};
use serde_json::{
    Value, json,
    value::{RawValue, to_raw_value},
};

use crate::{
    FaultRule, Record, Request, process,
    reason::lines,
    received::Received,
    redaction::{Redaction, Unknown, without_query},
    service::Service,
    store::{self, tables},
};

/// The document of this API.
const DOCUMENT: &str = include_str!("inspection.yaml");

/// The page on it.
const PAGE: &str = include_str!("page.html");

pub(crate) fn router() -> Router<Arc<Service>> {
    Router::new()
        .route("/_sandbox", get(|| async { Redirect::permanent("/_sandbox/") }))
        .route("/_sandbox/", get(|| async { Html(PAGE) }))
        .route("/_sandbox/openapi.yaml", get(|| async { ([(CONTENT_TYPE, "application/yaml")], DOCUMENT) }))
        .route("/_sandbox/requests", get(requests))
        .route("/_sandbox/businesses", get(businesses))
        .route("/_sandbox/businesses/{uid}/records", get(records))
        .route("/_sandbox/callbacks", get(callbacks))
        .route("/_sandbox/faults", get(faults).post(add_fault).delete(remove_faults))
        .route("/_sandbox/reset", post(reset))
}

type Shared = State<Arc<Service>>;

/// An answer, or what the store says.
type Answer<T> = Result<Json<T>, (StatusCode, Json<Value>)>;

fn problem(status: StatusCode, message: impl Into<String>) -> (StatusCode, Json<Value>) {
    (status, Json(json!({ "message": message.into() })))
}

#[derive(Deserialize)]
struct After {
    #[serde(default)]
    after: u64,
}

/// Tells a list of requests from one that was cleared, or that another sandbox at the same address has.
const RUN: &str = "x-sandbox-run";

async fn requests(
    State(service): Shared,
    after: Result<Query<After>, QueryRejection>,
) -> Result<impl IntoResponse, (StatusCode, Json<Value>)> {
    let Query(After { after }) = after.map_err(|e| problem(StatusCode::BAD_REQUEST, e.body_text()))?;
    let log = service.log();
    let requests: Vec<Request> = log.requests().filter(|request| request.number > after).cloned().collect();
    Ok(([(RUN, log.run())], Json(requests)))
}

/// A business, what is known of it, and how much is held for it.
#[derive(Serialize)]
struct Business {
    uid: String,
    data: Box<RawValue>,
    records: i64,
}

async fn businesses(State(service): Shared) -> Answer<Vec<Business>> {
    let shared = service.clone();
    let businesses = service.store.run(move |db| {
        process::queue(db, &shared)?;
        tables::businesses(db)
    });
    let businesses = businesses.await.map_err(|e| problem(StatusCode::INTERNAL_SERVER_ERROR, e.to_string()))?;
    let shown = |data: &RawValue| service.redaction.redacted(data, Unknown::Shown);
    Ok(Json(businesses.into_iter().map(|(uid, data, records)| Business { uid, data: shown(&data), records }).collect()))
}

/// A record as it was pushed, without secrets.
#[derive(Serialize)]
struct Held {
    kind: String,
    id: Option<String>,
    data: Box<RawValue>,
}

async fn records(State(service): Shared, Path(uid): Path<String>) -> Answer<Vec<Held>> {
    let shared = service.clone();
    let records = service.store.run(move |db| {
        process::queue(db, &shared)?;
        match tables::business(db, &uid)? {
            Some(_) => tables::records(db, &uid).map(Some),
            None => Ok(None),
        }
    });
    let records = records.await.map_err(|e| problem(StatusCode::INTERNAL_SERVER_ERROR, e.to_string()))?;
    let records = records.ok_or_else(|| problem(StatusCode::NOT_FOUND, "no business has this uid"))?;
    let held = |record: Record| Held {
        data: service.redaction.redacted(&record.data, Unknown::Shown),
        kind: record.kind,
        id: record.id,
    };
    Ok(Json(records.into_iter().map(held).collect()))
}

/// A callback as it stands.
#[derive(Debug, Clone, Serialize)]
pub struct CallbackState {
    /// Its number.
    pub id: i64,
    /// The operation that it tells of.
    pub operation: String,
    /// The business that the request named.
    pub uid: Option<String>,
    /// The address that is called, without what may give access to it.
    pub webhook: String,
    /// `waiting`, `delivered` or `discarded`.
    pub state: &'static str,
    /// When it is tried next, UTC.
    pub next: Option<String>,
    /// Every time that it was tried.
    pub attempts: Vec<AttemptState>,
    /// What it says of the request.
    pub response: Box<RawValue>,
}

/// A time that a callback was tried.
#[derive(Debug, Clone, Serialize)]
pub struct AttemptState {
    /// When, UTC.
    pub at: String,
    /// How it went.
    pub outcome: String,
}

/// The last callbacks, with their attempts.
pub(crate) fn callback_states(
    db: &rusqlite::Connection,
    redaction: &Redaction,
) -> rusqlite::Result<Vec<CallbackState>> {
    const LAST: usize = 1000;
    /// In bytes; larger responses are left out of the list.
    const LARGEST: usize = 16 * 1024;

    let states = store::callbacks::callbacks(db, LAST)?.into_iter().map(|row| {
        let attempts = store::callbacks::attempts_at(db, row.id)?;
        Ok(CallbackState {
            id: row.id,
            operation: row.operation,
            uid: row.uid,
            webhook: without_query(&row.webhook),
            state: match (row.delivered, row.due) {
                (true, _) => "delivered",
                (false, Some(_)) => "waiting",
                (false, None) if row.held => "waiting",
                (false, None) => "discarded",
            },
            next: row.due.map(utc),
            attempts: attempts.into_iter().map(|(at, outcome)| AttemptState { at: utc(at), outcome }).collect(),
            response: match row.response.get().len() {
                0..=LARGEST => redaction.redacted(&row.response, Unknown::Shown),
                length => raw(&json!({ "omitted": format!("{length} bytes") }))?,
            },
        })
    });
    states.collect()
}

fn raw(value: &Value) -> rusqlite::Result<Box<RawValue>> {
    to_raw_value(value).map_err(|e| rusqlite::Error::ToSqlConversionFailure(e.into()))
}

fn utc(millis: i64) -> String {
    /// The end of the year 9999, after which there is no such text.
    const LAST: i64 = 253_402_300_799_999;

    let time = UNIX_EPOCH + std::time::Duration::from_millis(millis.clamp(0, LAST).unsigned_abs());
    humantime::format_rfc3339_millis(time).to_string()
}

async fn callbacks(State(service): Shared) -> Answer<Vec<CallbackState>> {
    let shared = service.clone();
    let states = service.store.run(move |db| callback_states(db, &shared.redaction)).await;
    states.map(Json).map_err(|e| problem(StatusCode::INTERNAL_SERVER_ERROR, e.to_string()))
}

async fn faults(State(service): Shared) -> Json<Vec<FaultRule>> {
    Json(service.faults().0.clone())
}

async fn add_fault(State(service): Shared, Received(body): Received) -> Result<StatusCode, (StatusCode, Json<Value>)> {
    let refused = |message: String| problem(StatusCode::BAD_REQUEST, message);
    let body = body.map_err(|reasons| refused(lines(&reasons)))?;
    let rule = serde_json::from_slice(&body).map_err(|e| refused(e.to_string()))?;
    service.add_fault(rule).map_err(refused)?;
    Ok(StatusCode::CREATED)
}

async fn remove_faults(State(service): Shared) -> StatusCode {
    service.faults().0.clear();
    StatusCode::NO_CONTENT
}

async fn reset(State(service): Shared) -> Result<StatusCode, (StatusCode, Json<Value>)> {
    service.store.run(tables::forget).await.map_err(|e| problem(StatusCode::INTERNAL_SERVER_ERROR, e.to_string()))?;
    service.log().clear();
    service.faults().0.clear();
    Ok(StatusCode::NO_CONTENT)
}
