//! The inspection API below `/_sandbox/`, which shows what the replies do not, and the page that uses it.
//! `inspection.yaml` describes the API.

mod callbacks;
mod faults;
mod html;
mod page;
mod problem;
mod reference;
mod requests;

use std::sync::Arc;

use axum::{
    Json, Router,
    extract::{self, Path},
    http::{StatusCode, header::CONTENT_TYPE},
    response::Redirect,
    routing::{delete, get, post},
};
use serde::Serialize;
use serde_json::value::RawValue;

pub(crate) use self::callbacks::last_callbacks;
pub use self::callbacks::{CallbackState, LoggedAttempt, LoggedCallback};
use self::problem::{Problem, problem, store_failed};
use crate::{
    operations::queue::settle,
    spec::redaction::Unknown,
    state::State,
    store::{Record, tables},
};

/// The OpenAPI document of the inspection API.
const DOCUMENT: &str = include_str!("inspection.yaml");

pub(crate) fn router() -> Router<Arc<State>> {
    Router::new()
        .route("/_sandbox", get(|| async { Redirect::permanent("/_sandbox/") }))
        .route("/_sandbox/", get(|| async { html::page(page::PAGE) }))
        .merge(reference::router())
        .route("/_sandbox/openapi.yaml", get(|| async { ([(CONTENT_TYPE, "application/yaml")], DOCUMENT) }))
        .route("/_sandbox/requests", get(requests::list))
        .route("/_sandbox/requests/{number}", get(requests::one))
        .route("/_sandbox/businesses", get(businesses))
        .route("/_sandbox/businesses/{uid}/records", get(records))
        .route("/_sandbox/callbacks", get(callbacks))
        .route("/_sandbox/faults", get(faults::list).post(faults::add).delete(faults::remove_all))
        .route("/_sandbox/faults/choices", get(faults::choices))
        .route("/_sandbox/faults/{id}", delete(faults::remove))
        .route("/_sandbox/reset", post(reset))
}

type Shared = extract::State<Arc<State>>;

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

async fn reset(extract::State(state): Shared) -> Result<StatusCode, Problem> {
    state.store.run(tables::reset).await.map_err(store_failed)?;
    state.log().clear();
    state.faults().clear();
    Ok(StatusCode::NO_CONTENT)
}
