use axum::{
    body::Body,
    http::{HeaderValue, Response, StatusCode, header::CONTENT_TYPE},
    response::IntoResponse,
};
use serde_json::{json, value::RawValue};

/// What the body of a reply holds.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # use business_data_connector::{Connector, types::IncomeRecord};
/// # use business_data_connector_sandbox::{DEMO_APIKEY, DEMO_APPID, DEMO_BUSINESS};
/// use business_data_connector_sandbox::{Replies, Sandbox};
///
/// let sandbox = Sandbox::builder().replies(Replies::Observed).start().await?;
/// # let connector = Connector::builder().base_url(sandbox.base_url()).credentials(DEMO_APIKEY, DEMO_APPID).build()?;
/// let reply = connector.push_income(DEMO_BUSINESS, IncomeRecord::new()).await?;
/// assert_eq!(reply.text(), r#"{"error":false,"message":"queued"}"#);
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Replies {
    /// Nothing, as the interface specifies.
    #[default]
    Specified,
    /// JSON, as observed in deployed services: `error` and `message`, and the result of a synchronous operation.
    Observed,
}

impl Replies {
    /// The reply to a request that was queued, or executed with this result.
    pub(crate) fn accepted(self, result: Option<&RawValue>) -> Response<Body> {
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
