//! What is delivered to a webhook, and how. Assumed: the crate's documentation tells the shape.

use std::{error::Error, net::IpAddr, time::SystemTime};

use axum::http::{Request, Uri, header::CONTENT_TYPE};
use http_body_util::{BodyExt, Full};
use hyper_util::{
    client::legacy::{self, connect::HttpConnector},
    rt::TokioExecutor,
};
use serde::Serialize;

use crate::effect::Response;

/// Calls webhooks: plain HTTP, no redirects.
pub(crate) type Client = legacy::Client<HttpConnector, Full<axum::body::Bytes>>;

pub(crate) fn client() -> Client {
    legacy::Client::builder(TokioExecutor::new()).build_http()
}

/// One delivery.
#[derive(Serialize)]
pub(crate) struct Callback {
    date: String,
    timestamp: String,
    signature: Option<String>,
    status: &'static str,
    received: Received,
    response: Response,
}

#[derive(Serialize)]
struct Received {
    webhook: String,
    uid: Option<String>,
    r#type: String,
    direction: String,
}

impl Callback {
    pub(crate) fn new(
        (operation, tag): (&str, &str),
        (webhook, uid, signature): (String, Option<String>, Option<String>),
        response: Response,
    ) -> Self {
        let timestamp = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
        Self {
            date: timestamp.chars().take_while(|c| *c != 'T').collect(),
            timestamp,
            signature,
            status: "success",
            received: Received { webhook, uid, r#type: operation.to_owned(), direction: tag.to_owned() },
            response,
        }
    }

    /// Delivers once; the log tells how it went.
    pub(crate) async fn deliver(self, client: Client) {
        let operation = self.received.r#type.clone();
        match self.post(&client).await {
            Ok(status) if (200..300).contains(&status) => tracing::info!(operation, status, "callback delivered"),
            Ok(status) => tracing::warn!(operation, status, "callback refused by its receiver"),
            Err(problem) => tracing::warn!(operation, problem, "callback not delivered"),
        }
    }

    async fn post(&self, client: &Client) -> Result<u16, String> {
        let address = local(&self.received.webhook)?;
        let body = serde_json::to_vec(self).map_err(|e| e.to_string())?;
        let request = Request::post(address).header(CONTENT_TYPE, "application/json").body(Full::new(body.into()));
        let answer = client.request(request.map_err(|e| e.to_string())?).await.map_err(|e| with_causes(&e))?;
        let status = answer.status().as_u16();
        // Read to the end, so that the connection serves the next one.
        answer.into_body().collect().await.map_err(|e| e.to_string())?;
        Ok(status)
    }
}

fn with_causes(error: &dyn Error) -> String {
    let mut causes = vec![error.to_string()];
    let mut next = error.source();
    while let Some(cause) = next {
        causes.push(cause.to_string());
        next = cause.source();
    }
    causes.join(": ")
}

/// The webhook's address, if it is on this machine.
fn local(webhook: &str) -> Result<Uri, String> {
    let address: Uri = webhook.parse().map_err(|e| format!("the webhook is not an address: {e}"))?;
    let host = address.host().unwrap_or_default().trim_matches(['[', ']']);
    let loopback = host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
    if address.scheme_str() == Some("http") && loopback {
        return Ok(address);
    }
    Err("the webhook is not http:// on this machine, and the sandbox calls no other".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_called_back() {
        for webhook in ["http://127.0.0.1:1/a?b", "http://127.9.9.9/", "http://localhost:1", "http://[::1]:1/"] {
            assert!(local(webhook).is_ok(), "{webhook}");
        }
        for webhook in [
            "",
            "nonsense",
            "/hook",
            "https://127.0.0.1/",
            "ftp://127.0.0.1/",
            "http://192.0.2.1/",
            "http://0.0.0.0/",
            "http://127.0.0.1.example.com/",
            "http://localhost.example.com/",
            "http://127.0.0.1@192.0.2.1/",
        ] {
            assert!(local(webhook).is_err(), "{webhook}");
        }
    }
}
