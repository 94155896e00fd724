use axum::{
    body::Body,
    http::{HeaderValue, Response, StatusCode, header::CONTENT_TYPE},
    response::IntoResponse,
};
use business_data_connector_document::Operation;
use serde_json::{Value, json, value::RawValue};

use crate::Reason;

/// What answers carry.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Replies {
    /// No content, as the interface specifies.
    #[default]
    Specified,
    /// JSON, as deployed services were seen to answer: `error` and `message`, and what a synchronous operation has to tell.
    /// What they were seen to refuse beyond the interface is refused too: `x-observed-required` of the document.
    Observed,
}

impl Replies {
    /// What deployed services were seen to refuse, of a body that the interface lets through.
    pub(crate) fn objections(self, operation: &Operation, body: &Value, unknown: &[Reason]) -> Vec<Reason> {
        let wanted = &operation.observed_required;
        if self == Self::Specified || wanted.is_empty() {
            return Vec::new();
        }
        let missing = wanted.iter().filter(|name| body["data"].get(*name).is_none());
        let missing = missing.map(|name| {
            let expected = "a value, as deployed services were seen to want";
            Reason::new(format!("/data/{name}"), "observed", expected, "nothing")
        });
        missing.chain(unknown.iter().filter(|reason| reason.pointer.starts_with("/data/")).cloned()).collect()
    }

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
