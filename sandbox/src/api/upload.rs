//! Where the files are put that settlement files name.

use std::sync::Arc;

use axum::{
    Router,
    extract::{
        Path, Query, State,
        rejection::{PathRejection, QueryRejection},
    },
    http::StatusCode,
    routing::put,
};
use serde::Deserialize;
use serde_json::Value;

use crate::{
    Reason,
    clock::now,
    effect::{UPLOADED, UPLOADS},
    json, process,
    received::Received,
    service::Service,
    store::tables,
};

pub(crate) fn router() -> Router<Arc<Service>> {
    Router::new().route(&format!("{UPLOADS}/{{uid}}/{{name}}"), put(take_file))
}

/// What an upload address carries behind its path.
#[derive(Deserialize)]
struct Presigned {
    #[serde(default)]
    token: String,
}

/// Takes the file for an upload address that was given out.
async fn take_file(
    State(service): State<Arc<Service>>,
    path: Result<Path<(String, String)>, PathRejection>,
    query: Result<Query<Presigned>, QueryRejection>,
    Received(body): Received,
) -> StatusCode {
    let text = match body.and_then(|body| file(&service, &body)) {
        Ok(text) => text,
        Err(reasons) => return refuse_file(&service, reasons),
    };
    let expected = "an address that the upload-URL operation gave";
    let (Ok(Path((uid, name))), Ok(Query(Presigned { token }))) = (path, query) else {
        return refuse_file(&service, vec![Reason::new("", "upload", expected, "another")]);
    };
    let shared = service.clone();
    let kept = service.store.run(move |db| {
        // What was taken before is settled with the file that was there then.
        process::queue(db, &shared)?;
        let given = tables::uploads(db, &uid)?.into_iter().find(|upload| upload.name == name && upload.token == token);
        match given {
            None => Ok(Err(Reason::new("", "upload", expected, "another"))),
            Some(upload) if upload.expires < now() => {
                Ok(Err(Reason::new("", "upload", expected, "one that has expired")))
            }
            Some(_) => tables::keep_upload(db, &uid, &name, &text).map(Ok),
        }
    });
    match kept.await {
        Ok(Ok(())) => StatusCode::OK,
        Ok(Err(reason)) => refuse_file(&service, vec![reason]),
        Err(error) => {
            tracing::error!(%error, "file not kept");
            StatusCode::INTERNAL_SERVER_ERROR
        }
    }
}

fn refuse_file(service: &Service, reasons: Vec<Reason>) -> StatusCode {
    let status = StatusCode::BAD_REQUEST;
    service.refuse_elsewhere("upload", Some(status), reasons);
    status
}

/// The text of a file that is a list of settlement entries.
fn file(service: &Service, body: &[u8]) -> Result<String, Vec<Reason>> {
    let one = |rule, expected, got: String| vec![Reason::new("", rule, expected, got)];
    let value = json::read(body).map_err(|e| one("JSON", "strict JSON", e))?;
    let Value::Array(entries) = value else {
        return Err(one("type", "an array of settlement entries", "something else".to_owned()));
    };
    for (index, entry) in entries.iter().enumerate() {
        service.schemas.check(UPLOADED, entry).map_err(|mut reasons| {
            reasons.iter_mut().for_each(|reason| reason.pointer = format!("/{index}{}", reason.pointer));
            reasons
        })?;
    }
    String::from_utf8(body.to_vec()).map_err(|e| one("UTF-8", "text in UTF-8", e.to_string()))
}
