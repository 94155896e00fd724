use axum::{
    body::Body,
    http::{HeaderValue, Response, StatusCode, header::CONTENT_TYPE},
    response::IntoResponse,
};
use serde_json::{json, value::RawValue};

/// What answers carry.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Replies {
    /// No content, as the interface specifies.
    #[default]
    Specified,
    /// JSON, as deployed services were seen to answer: `error` and `message`, and what a synchronous operation has to tell.
    Observed,
}

impl Replies {
    /// The answer to a request that was queued, or carried out with this result.
    pub(crate) fn taken(self, result: Option<&RawValue>) -> Response<Body> {
        match (self, result) {
            (Self::Specified, _) => StatusCode::OK.into_response(),
            (Self::Observed, Some(result)) => with_json(StatusCode::OK, result.get().to_owned()),
            (Self::Observed, None) => {
                with_json(StatusCode::OK, json!({ "error": false, "message": "queued" }).to_string())
            }
        }
    }

    pub(crate) fn refused(self, status: StatusCode, reason: &str) -> Response<Body> {
        match self {
            Self::Specified => status.into_response(),
            Self::Observed => with_json(status, json!({ "error": true, "message": reason }).to_string()),
        }
    }
}

fn with_json(status: StatusCode, body: String) -> Response<Body> {
    let mut response = (status, body).into_response();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}
