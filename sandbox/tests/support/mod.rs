//! What the tests share: a sandbox's client, raw requests, and receivers of callbacks.

// No test uses all of it.
#![allow(dead_code)]

use std::error::Error;

use axum::{
    Router,
    body::Bytes,
    http::{Request, Response, StatusCode},
    routing::post,
};
use business_data_connector::{Connector, ConnectorBuilder};
use business_data_connector_sandbox::{DEMO_APIKEY, DEMO_APPID, DEMO_HEADER_KEY, Sandbox};
use http_body_util::{BodyExt, Full};
use hyper_util::{client::legacy::Client, rt::TokioExecutor};
use serde_json::Value;
use tokio::{net::TcpListener, sync::mpsc};

pub type TestResult<T = ()> = Result<T, Box<dyn Error>>;

/// A builder with the demo credentials.
pub fn builder(sandbox: &Sandbox) -> ConnectorBuilder {
    Connector::builder().base_url(sandbox.base_url()).credentials(DEMO_APIKEY, DEMO_APPID).header_key(DEMO_HEADER_KEY)
}

/// Sends a request that the connector would not send, and returns the status and body of the reply.
pub async fn send(request: Request<Full<Bytes>>) -> TestResult<(StatusCode, Bytes)> {
    let reply = exchange(request).await?;
    Ok((reply.status(), reply.into_body()))
}

/// The same, with the headers of the reply.
pub async fn exchange(request: Request<Full<Bytes>>) -> TestResult<Response<Bytes>> {
    let (head, body) = Client::builder(TokioExecutor::new()).build_http().request(request).await?.into_parts();
    Ok(Response::from_parts(head, body.collect().await?.to_bytes()))
}

/// The same, from its parts.
pub async fn raw(method: &str, url: &str, content_type: &str, body: &str) -> TestResult<(StatusCode, Bytes)> {
    let request = Request::builder().method(method).uri(url).header("content-type", content_type);
    send(request.body(Full::from(body.to_owned()))?).await
}

/// Serves a router on a free port, as a receiver of callbacks, and returns its address.
pub async fn serve(router: Router) -> std::io::Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}", listener.local_addr()?);
    tokio::spawn(async { axum::serve(listener, router).await });
    Ok(url)
}

/// A webhook, and the callbacks that arrive there.
pub async fn receiver() -> TestResult<(String, mpsc::UnboundedReceiver<Value>)> {
    let (sender, callbacks) = mpsc::unbounded_channel();
    let receive = async move |body: Bytes| _ = sender.send(serde_json::from_slice(&body).unwrap_or(Value::Null));
    let url = format!("{}/hook?token=t", serve(Router::new().route("/hook", post(receive))).await?);
    Ok((url, callbacks))
}

/// The refusals of a sandbox, as text.
pub fn refusals(sandbox: &Sandbox) -> Vec<String> {
    sandbox.refusals().iter().map(ToString::to_string).collect()
}
