//! Stands between the worker and the sandbox, and counts the records that left.

use std::{
    collections::BTreeMap,
    net::SocketAddr,
    sync::{Arc, Mutex},
};

use axum::{
    Router,
    body::Body,
    extract::Request,
    http::StatusCode,
    response::{IntoResponse, Response},
};
use http_body_util::BodyExt;
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};
use serde_json::Value;

/// How often each record left.
pub type Left = Arc<Mutex<BTreeMap<String, u32>>>;

pub async fn start(sandbox: SocketAddr) -> (SocketAddr, Left) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let left = Left::default();
    let (client, counted) = (Client::builder(TokioExecutor::new()).build_http(), left.clone());
    let serve = move |request: Request| forward(client.clone(), counted.clone(), sandbox, request);
    tokio::spawn(async move { axum::serve(listener, Router::new().fallback(serve)).await });
    (address, left)
}

async fn forward(client: Client<HttpConnector, Body>, left: Left, sandbox: SocketAddr, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    // One that was cut off has not left.
    let Ok(body) = body.collect().await else { return StatusCode::BAD_REQUEST.into_response() };
    let body = body.to_bytes();
    if parts.uri.path().starts_with("/api/push") {
        count(&left, &body);
    }
    let url = format!("http://{sandbox}{}", parts.uri.path());
    let mut forwarded = Request::post(url);
    if let Some(value) = parts.headers.get("content-type") {
        forwarded = forwarded.header("content-type", value);
    }
    match client.request(forwarded.body(Body::from(body)).unwrap()).await {
        Ok(reply) => {
            let (parts, body) = reply.into_parts();
            let bytes = body.collect().await.map(|body| body.to_bytes()).unwrap_or_default();
            (parts.status, Body::from(bytes)).into_response()
        }
        Err(_) => StatusCode::BAD_GATEWAY.into_response(),
    }
}

fn count(left: &Left, body: &[u8]) {
    let body: Value = serde_json::from_slice(body).unwrap();
    let lists = ["income", "expenses"].into_iter().filter_map(|member| body["data"][member].as_array());
    let one = body["data"]["id"].as_str();
    let ids = lists.flatten().filter_map(|record| record["id"].as_str()).chain(one);
    let mut left = left.lock().unwrap();
    for id in ids {
        *left.entry(id.to_owned()).or_default() += 1;
    }
}
