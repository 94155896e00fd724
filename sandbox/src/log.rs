//! The log of requests and their replies, for debugging replies that have no content.

use std::{
    collections::VecDeque,
    convert::Infallible,
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

use axum::{
    http::{HeaderName, HeaderValue},
    response::{IntoResponseParts, ResponseParts},
};
use serde::Serialize;
use serde_json::value::RawValue;

use crate::{
    clock::{now, utc},
    faults::Fault,
    refusal::{Reason, lines},
};

/// How many requests the log keeps.
const CAPACITY: usize = 1000;

/// A request in the sandbox's log. It holds no secret.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # use business_data_connector::{Connector, types::IncomeRecord};
/// # use business_data_connector_sandbox::{DEMO_APIKEY, DEMO_APPID, DEMO_BUSINESS, Sandbox};
/// let sandbox = Sandbox::start().await?;
/// # let connector = Connector::builder().base_url(sandbox.base_url()).credentials(DEMO_APIKEY, DEMO_APPID).build()?;
/// connector.push_income(DEMO_BUSINESS, IncomeRecord::new().id("INV-1")).await?;
/// let requests = sandbox.requests();
/// assert_eq!((requests[0].operation.as_str(), requests[0].status), ("push_income", Some(200)));
/// assert!(requests[0].body.as_ref().is_some_and(|body| body.get().contains("INV-1")));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct LoggedRequest {
    /// Its number, counted from the start of the sandbox. The reply has it in the header `X-Sandbox-Request`.
    pub number: u64,
    /// The time of the reply: RFC 3339, UTC.
    pub at: String,
    /// The operation; or `upload` for a file, `inspection` for what the inspection API refuses, `none` for another path
    /// or method, `connection` for what is not a valid HTTP/1.1 request.
    pub operation: String,
    /// The `uid` in the request.
    pub uid: Option<String>,
    /// The status of the reply; none where the connection was reset, or its sender stopped sending.
    pub status: Option<u16>,
    /// Whether it was stored or executed, whatever its reply says: a fault can change that.
    pub accepted: bool,
    /// Why it was refused; empty for an accepted request.
    pub reasons: Vec<Reason>,
    /// What was tolerated, but may be a mistake.
    pub warnings: Vec<String>,
    /// The fault that was injected.
    pub fault: Option<Fault>,
    /// The body without secrets; none for one that is not JSON, or larger than 64 KiB.
    pub body: Option<Box<RawValue>>,
}

impl LoggedRequest {
    /// A request to log; the log assigns its number and time.
    pub(crate) fn new(operation: &str) -> Self {
        Self {
            number: 0,
            at: String::new(),
            operation: operation.to_owned(),
            uid: None,
            status: None,
            accepted: false,
            reasons: Vec::new(),
            warnings: Vec::new(),
            fault: None,
            body: None,
        }
    }

    /// Reports the request with `tracing`, under its number.
    pub(crate) fn trace(&self) {
        let Self { number, operation, status, .. } = self;
        for warning in &self.warnings {
            tracing::warn!(request = number, operation, warning, "tolerated");
        }
        if let Some(fault) = self.fault {
            tracing::info!(request = number, operation, %fault, "fault injected");
        }
        let reason = lines(&self.reasons);
        match status {
            Some(500..) if !reason.is_empty() => {
                tracing::error!(request = number, operation, status, reason, "not stored");
            }
            _ if !reason.is_empty() => tracing::warn!(request = number, operation, status, reason, "refused"),
            _ if self.accepted => tracing::info!(request = number, operation, "accepted"),
            _ => {}
        }
    }
}

/// The number of a request, as a header of its reply.
pub(crate) struct RequestNumber(pub(crate) u64);

impl RequestNumber {
    const HEADER: HeaderName = HeaderName::from_static("x-sandbox-request");
}

impl IntoResponseParts for RequestNumber {
    type Error = Infallible;

    fn into_response_parts(self, mut parts: ResponseParts) -> Result<ResponseParts, Infallible> {
        parts.headers_mut().insert(Self::HEADER, HeaderValue::from(self.0));
        Ok(parts)
    }
}

/// The last requests.
pub(crate) struct Log {
    requests: VecDeque<Arc<LoggedRequest>>,
    count: u64,
    run: String,
}

impl Default for Log {
    fn default() -> Self {
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self { requests: VecDeque::new(), count: 0, run: since_1970.as_nanos().to_string() }
    }
}

impl Log {
    /// Identifies this log; it changes when the log is cleared, or another sandbox replies at the same address.
    pub(crate) fn run(&self) -> String {
        self.run.clone()
    }

    /// Adds a request, and returns it with its number.
    ///
    /// A request gets its number with its reply, so that the log is ordered by it: whoever has read up to a number has
    /// missed none.
    pub(crate) fn add(&mut self, mut request: LoggedRequest) -> Arc<LoggedRequest> {
        self.count += 1;
        request.number = self.count;
        request.at = utc(now());
        let request = Arc::new(request);
        self.requests.push_back(request.clone());
        if self.requests.len() > CAPACITY {
            self.requests.pop_front();
        }
        request
    }

    pub(crate) fn requests(&self) -> impl Iterator<Item = &LoggedRequest> {
        self.requests.iter().map(Arc::as_ref)
    }

    pub(crate) fn clear(&mut self) {
        *self = Self { count: self.count, ..Self::default() };
    }
}
