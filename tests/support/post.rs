use axum::{
    body::Body,
    http::{Method, Request, StatusCode},
};
use http_body_util::BodyExt;
use hyper_util::{
    client::legacy::{self, connect::HttpConnector},
    rt::TokioExecutor,
};

/// A client that sends what the service sends.
#[derive(Clone)]
pub struct Sender(legacy::Client<HttpConnector, Body>);

impl Sender {
    pub fn new() -> Self {
        Self(legacy::Client::builder(TokioExecutor::new()).build_http())
    }

    /// The status of the answer.
    #[allow(clippy::unwrap_used, reason = "the helper of a test may fail it, as the test may")]
    pub async fn send(&self, method: Method, url: &str, body: impl Into<Body>) -> StatusCode {
        let request = Request::builder().method(method).uri(url).body(body.into()).unwrap();
        let response = self.0.request(request).await.unwrap();
        let status = response.status();
        // A body that is read to its end leaves a reusable connection.
        let _ = response.into_body().collect().await;
        status
    }

    pub async fn post(&self, url: &str, body: impl Into<Body>) -> StatusCode {
        self.send(Method::POST, url, body).await
    }
}
