//! A service for unit tests: canned answers without a socket, and a record of what was called. Feature `testing`.
//!
//! What an answer means is decided by the same code as in production, so that a test of your error handling sees the
//! errors that it will meet. Credentials are not checked and bodies not validated: the sandbox
//! (`business-data-connector-sandbox`) does both.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), business_data_connector::Error> {
//! use business_data_connector::{Decimal, Retry, testing::{Answer, TestService}, types::IncomeRecord};
//!
//! let service = TestService::new(|call| match call.operation().id {
//!     "push_income" => Answer::status(504),
//!     _ => Answer::ok(),
//! });
//! let connector = service.connector()?;
//!
//! let income = IncomeRecord::new().id("INV-1").amount(Decimal::from(20));
//! let error = connector.push_income("demo-business", income).await.unwrap_err();
//! assert_eq!(error.retry(), Retry::CheckFirst);
//! assert_eq!(service.calls()[0].body(), r#"{"data":{"amount":20,"id":"INV-1"},"uid":"demo-business"}"#);
//! # Ok(())
//! # }
//! ```

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use reqwest::{
    StatusCode,
    header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue},
};

use crate::{
    Connector, ConnectorBuilder, Error, Operation, Reply, Request, RetryPolicy,
    classify::{self, BodyEnd},
    error::TimedOut,
    shared::Canned,
};

/// A service that answers from a closure and records the calls.
#[derive(Clone)]
pub struct TestService {
    answer: Arc<dyn Fn(&RecordedCall) -> Answer + Send + Sync>,
    calls: Arc<Mutex<Vec<RecordedCall>>>,
}

impl TestService {
    /// A service that answers every attempt of every call with what the closure returns.
    pub fn new(answer: impl Fn(&RecordedCall) -> Answer + Send + Sync + 'static) -> Self {
        Self { answer: Arc::new(answer), calls: Arc::default() }
    }

    /// A service that always gives the same answer.
    pub fn answering(answer: Answer) -> Self {
        Self::new(move |_| answer.clone())
    }

    /// A connector that calls this service. It retries as by default, without delay.
    ///
    /// # Errors
    /// As [`ConnectorBuilder::build`].
    pub fn connector(&self) -> Result<Connector, Error> {
        self.builder().build()
    }

    /// A builder for such a connector, to change more.
    pub fn builder(&self) -> ConnectorBuilder {
        Connector::builder()
            .base_url("http://test.invalid")
            .credentials("test-apikey", "test-appid")
            .header_key("test-header-key")
            .retry_policy(RetryPolicy::new().delay(Duration::ZERO, Duration::ZERO))
            .canned(Arc::new(self.clone()))
    }

    /// The calls so far, one for each attempt, in order.
    pub fn calls(&self) -> Vec<RecordedCall> {
        self.recorded().clone()
    }

    fn recorded(&self) -> MutexGuard<'_, Vec<RecordedCall>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Canned for TestService {
    fn answer(&self, operation: &'static Operation, body: String) -> Result<Reply, Error> {
        let call = RecordedCall { operation, body };
        let answer = (self.answer)(&call);
        self.recorded().push(call);
        match answer.0 {
            Kind::Reply { status, headers, body } => {
                let reply = Reply { operation, status, headers, body: body.into(), complete: true };
                classify::reply(reply, BodyEnd::Complete)
            }
            Kind::NeverSent(cause) => Err(classify::failure(operation, false, cause.into())),
            Kind::OutcomeUnknown(cause) => Err(classify::failure(operation, true, cause.into())),
            Kind::TimedOut => Err(classify::failure(operation, true, Box::new(TimedOut))),
        }
    }
}

impl fmt::Debug for TestService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TestService").field("calls", &self.recorded().len()).finish_non_exhaustive()
    }
}

/// An attempt of a call, as the service received it.
#[derive(Clone)]
pub struct RecordedCall {
    operation: &'static Operation,
    body: String,
}

impl RecordedCall {
    /// The operation that was called.
    pub fn operation(&self) -> &'static Operation {
        self.operation
    }

    /// The JSON body, without the credentials.
    pub fn body(&self) -> &str {
        &self.body
    }

    /// The request, read back from the body.
    ///
    /// # Errors
    /// If the call was of another operation.
    pub fn request<R: Request>(&self) -> Result<R, Error> {
        if R::OPERATION != self.operation {
            return Err(Error::invalid(format!("the call was {}, not {}", self.operation.id, R::OPERATION.id)));
        }
        serde_json::from_str(&self.body).map_err(|error| Error::invalid(error.to_string()))
    }
}

impl fmt::Debug for RecordedCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordedCall").field("operation", &self.operation.id).finish_non_exhaustive()
    }
}

/// What a [`TestService`] answers, or how getting an answer fails.
#[derive(Debug, Clone)]
pub struct Answer(Kind);

#[derive(Debug, Clone)]
enum Kind {
    Reply { status: StatusCode, headers: HeaderMap, body: String },
    NeverSent(&'static str),
    OutcomeUnknown(&'static str),
    TimedOut,
}

impl Answer {
    /// 200 without content.
    pub fn ok() -> Self {
        Self::status(200)
    }

    /// 400 with the message in the form that deployed services use (observed).
    pub fn refused(message: &str) -> Self {
        Self::status(400).json(&serde_json::json!({ "error": true, "message": message }).to_string())
    }

    /// 401 without content.
    pub fn unauthorized() -> Self {
        Self::status(401)
    }

    /// This status, without content. A number that is not a status counts as 500.
    pub fn status(status: u16) -> Self {
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        Self(Kind::Reply { status, headers: HeaderMap::new(), body: String::new() })
    }

    /// No connection: the request is never sent.
    pub fn never_sent() -> Self {
        Self(Kind::NeverSent("the test service accepts no connection"))
    }

    /// The request is sent, and the connection breaks before a reply.
    pub fn outcome_unknown() -> Self {
        Self(Kind::OutcomeUnknown("the test service closed the connection"))
    }

    /// The request is sent, and the timeout of the call expires before a reply.
    pub fn timed_out() -> Self {
        Self(Kind::TimedOut)
    }

    /// Sets the body of a reply, as JSON text.
    #[must_use]
    pub fn json(self, text: &str) -> Self {
        self.body(text).header("content-type", "application/json")
    }

    /// Sets the body of a reply, leaving its type open.
    #[must_use]
    pub fn body(mut self, text: &str) -> Self {
        if let Kind::Reply { headers, body, .. } = &mut self.0 {
            headers.remove(CONTENT_TYPE);
            text.clone_into(body);
        }
        self
    }

    /// Sets a header of a reply. What is not a header's name and value is ignored.
    #[must_use]
    pub fn header(mut self, name: &'static str, value: &str) -> Self {
        if let (Kind::Reply { headers, .. }, Ok(name), Ok(value)) =
            (&mut self.0, HeaderName::try_from(name), HeaderValue::from_str(value))
        {
            headers.insert(name, value);
        }
        self
    }
}
