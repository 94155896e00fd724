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
    response::IntoResponse,
    routing::put,
};
use serde::Deserialize;

use super::json::Parsed;
use crate::{
    clock::{millis, now},
    http::body::ReceivedBody,
    log::LoggedRequest,
    operations::{effects::UPLOADS, queue},
    refusal::{Reason, shortened},
    spec::records::UPLOADED,
    state::State,
    store::{
        StoreError,
        uploads::{self, Address},
    },
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
) -> impl IntoResponse {
    let uid = path.as_ref().ok().map(|Path((uid, _))| shortened(uid));
    let (status, reasons) = match store_file(&state, path.ok(), query.ok(), body).await {
        Ok(Ok(())) => (StatusCode::OK, Vec::new()),
        Ok(Err(reasons)) => (StatusCode::BAD_REQUEST, reasons),
        Err(error) => {
            let reason = Reason::new("", "store", "a working store", error.to_string());
            (StatusCode::INTERNAL_SERVER_ERROR, vec![reason])
        }
    };
    let mut entry = LoggedRequest::new("upload");
    (entry.uid, entry.status, entry.reasons) = (uid, Some(status.as_u16()), reasons);
    entry.accepted = status == StatusCode::OK;
    (status, state.log_request(entry), ())
}

/// Stores the file, or says why it is refused.
async fn store_file(
    state: &Arc<State>,
    path: Option<Path<(String, String)>>,
    query: Option<Query<Presigned>>,
    body: Result<Bytes, Vec<Reason>>,
) -> Result<Result<(), Vec<Reason>>, StoreError> {
    let file = match body.and_then(|body| validate_file(state, body)) {
        Ok(file) => file,
        Err(reasons) => return Ok(Err(reasons)),
    };
    let address = |got| Reason::new("", "upload", "an upload address that the sandbox issued", got);
    let (Some(Path((uid, name))), Some(Query(Presigned { token }))) = (path, query) else {
        return Ok(Err(vec![address("an unknown address")]));
    };
    let shared = state.clone();
    let stored = state.store.run(move |db| {
        // Requests accepted before use the file that was there before.
        queue::drain_queue(db, &shared)?;
        let outcome = match uploads::upload(db, &Address { uid: &uid, name: &name, token: &token })? {
            None => Err(vec![address("an unknown address")]),
            Some(upload) if upload.expires < now() => Err(vec![address("an expired address")]),
            Some(upload) => Ok(uploads::set_file(db, &upload, file.text())?),
        };
        uploads::remove_expired(db, now().saturating_sub(millis(shared.clock.scaled(shared.retention.uploads))))?;
        Ok(outcome)
    });
    stored.await
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
