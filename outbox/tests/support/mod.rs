//! A sandbox, and an outbox that sends to it.

#![allow(dead_code, reason = "each test uses some of it")]
#![allow(clippy::unwrap_used, reason = "the helpers of a test may fail it, as the test may")]

use std::{path::Path, time::Duration};

use axum::{Router, body::Body, extract::Request, http::StatusCode, response::IntoResponse};
use business_data_connector::{
    Connector,
    callback::CallbackKey,
    inbox::{Inbox, SqliteStore, Synchronous},
};
use business_data_connector_outbox::{Counts, Event, Outbox, State, WorkerBuilder};
use business_data_connector_sandbox::{DEMO_APIKEY, DEMO_APPID, DEMO_HEADER_KEY, Sandbox};
use http_body_util::BodyExt;
use tokio::sync::broadcast;
use tower::ServiceExt;

pub type TestResult = Result<(), Box<dyn std::error::Error>>;

pub const UID: &str = "demo-business";

pub fn connector(sandbox: &Sandbox) -> Connector {
    let builder = Connector::builder().base_url(sandbox.base_url()).credentials(DEMO_APIKEY, DEMO_APPID);
    builder.header_key(DEMO_HEADER_KEY).timeout(Duration::from_secs(30)).build().unwrap()
}

/// An inbox whose callbacks survive it.
pub async fn inbox(folder: &Path) -> Inbox {
    let key = CallbackKey::new(1, b"32 bytes that the tests agree on").unwrap();
    let store = SqliteStore::open_with(folder.join("callbacks.db"), Synchronous::Normal).unwrap();
    // A port that is free now.
    let address = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    Inbox::builder(&format!("http://{address}"), key).store(store).bind(address).await.unwrap()
}

/// An inbox that receives no callbacks of an operation: its server answers them 503.
pub async fn deaf_inbox(folder: &Path, operation: &'static str) -> Inbox {
    let key = CallbackKey::new(1, b"32 bytes that the tests agree on").unwrap();
    let store = SqliteStore::open_with(folder.join("callbacks.db"), Synchronous::Normal).unwrap();
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let inbox = Inbox::builder(&url, key).store(store).build().unwrap();
    let (endpoint, router) = (inbox.endpoint().clone(), inbox.router());
    let serve = move |request: Request| {
        let (endpoint, router) = (endpoint.clone(), router.clone());
        async move {
            let (parts, body) = request.into_parts();
            let body = body.collect().await.unwrap().to_bytes();
            match endpoint.verify(parts.uri.path(), body.clone()) {
                Ok(callback) if callback.operation_id() == operation => StatusCode::SERVICE_UNAVAILABLE.into_response(),
                _ => router.oneshot(Request::from_parts(parts, Body::from(body))).await.into_response(),
            }
        }
    };
    tokio::spawn(async move { axum::serve(listener, Router::new().fallback(serve)).await });
    inbox
}

pub async fn outbox(folder: &Path) -> Outbox {
    Outbox::sqlite_without_sync(folder.join("outbox.db")).await.unwrap()
}

/// A worker that waits for nothing longer than necessary.
pub fn eager(outbox: &Outbox, sandbox: &Sandbox, inbox: Inbox) -> WorkerBuilder {
    let millis = Duration::from_millis;
    let worker = outbox.worker(connector(sandbox), inbox).poll_interval(millis(20));
    worker.delays(millis(10), millis(50)).checks(millis(50), millis(50))
}

/// Waits until the counts are as expected. A test that would wait for ever is ended by its runner.
pub async fn until(outbox: &Outbox, mut expected: impl FnMut(&Counts) -> bool) -> Counts {
    let mut events = outbox.events();
    loop {
        let counts = outbox.counts().await.unwrap();
        if expected(&counts) {
            return counts;
        }
        // An event that was missed has changed the counts as well.
        let _: Result<Event, broadcast::error::RecvError> = events.recv().await;
    }
}

/// Whether all requests are in this state.
pub fn all(state: State) -> impl FnMut(&Counts) -> bool {
    move |counts| counts.get(state) == counts.total()
}
