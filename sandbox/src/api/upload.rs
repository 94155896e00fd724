//! The upload addresses, to which the files are PUT that settlement files name.

use std::sync::Arc;

use axum::{
    Router,
    body::Bytes,
    extract::{
        self, Path, Query,
        rejection::{PathRejection, QueryRejection},
    },
    http::StatusCode,
    routing::put,
};
use serde::Deserialize;

use super::json::Parsed;
use crate::{
    clock::{millis, now},
    http::body::ReceivedBody,
    operations::{effects::UPLOADS, queue},
    refusal::Reason,
    spec::records::UPLOADED,
    state::State,
    store::uploads::{self, Address},
};

pub(crate) fn router() -> Router<Arc<State>> {
    Router::new().route(&format!("{UPLOADS}/{{uid}}/{{name}}"), put(upload))
}

/// The query of an upload address.
#[derive(Deserialize)]
struct Presigned {
    #[serde(default)]
    token: String,
}

/// Stores a file that was PUT to an upload address.
async fn upload(
    extract::State(state): extract::State<Arc<State>>,
    path: Result<Path<(String, String)>, PathRejection>,
    query: Result<Query<Presigned>, QueryRejection>,
    ReceivedBody(body): ReceivedBody,
) -> StatusCode {
    let file = match body.and_then(|body| validate_file(&state, body)) {
        Ok(file) => file,
        Err(reasons) => return refuse(&state, reasons),
    };
    let address = |got| Reason::new("", "upload", "an upload address that the sandbox issued", got);
    let (Ok(Path((uid, name))), Ok(Query(Presigned { token }))) = (path, query) else {
        return refuse(&state, vec![address("an unknown address")]);
    };
    let shared = state.clone();
    let stored = state.store.run(move |db| {
        // Requests accepted before use the file that was there before.
        queue::drain_queue(db, &shared)?;
        let outcome = match uploads::upload(db, &Address { uid: &uid, name: &name, token: &token })? {
            None => Err(address("an unknown address")),
            Some(upload) if upload.expires < now() => Err(address("an expired address")),
            Some(upload) => Ok(uploads::set_file(db, &upload, file.text())?),
        };
        uploads::remove_expired(db, now().saturating_sub(millis(shared.clock.scaled(shared.retention.uploads))))?;
        Ok(outcome)
    });
    match stored.await {
        Ok(Ok(())) => StatusCode::OK,
        Ok(Err(reason)) => refuse(&state, vec![reason]),
        Err(error) => {
            tracing::error!(%error, "file not stored");
            StatusCode::INTERNAL_SERVER_ERROR
        }
    }
}

fn refuse(state: &State, reasons: Vec<Reason>) -> StatusCode {
    let status = StatusCode::BAD_REQUEST;
    state.log_refusal("upload", Some(status), reasons);
    status
}

/// A file that is a JSON array of valid settlement entries.
fn validate_file(state: &State, body: Bytes) -> Result<Parsed, Vec<Reason>> {
    let parsed = Parsed::parse(body, |text| state.schemas.read_list(UPLOADED, text));
    let file = parsed.map_err(|e| vec![Reason::new("", "JSON", "strict JSON", e)])?;
    if !file.value().is_array() {
        return Err(vec![Reason::new("", "type", "an array of settlement entries", "another type")]);
    }
    state.schemas.validate_list(file.outline())?;
    Ok(file)
}
