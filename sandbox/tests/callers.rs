//! Callers that wait long or have gone keep nobody else from being served.

mod support;

use std::time::Duration;

use business_data_connector_sandbox::Sandbox;
use support::TestResult;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

async fn connect(sandbox: &Sandbox) -> TestResult<TcpStream> {
    Ok(TcpStream::connect(sandbox.base_url().trim_start_matches("http://")).await?)
}

/// A request whose reply is delayed by an hour.
async fn send_slow(sandbox: &Sandbox) -> TestResult<TcpStream> {
    let mut stream = connect(sandbox).await?;
    let body = r#"{"apikey":"demo-apikey","appid":"demo-appid"}"#;
    let head = "POST /api/verify/apikey HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json";
    let request = format!("{head}\r\nx-sandbox-fault: latency=3600000\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    stream.write_all(request.as_bytes()).await?;
    Ok(stream)
}

async fn reply_to(sandbox: &Sandbox, line: &str) -> TestResult<String> {
    let mut stream = connect(sandbox).await?;
    stream.write_all(format!("{line} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").as_bytes()).await?;
    let mut reply = String::new();
    stream.read_to_string(&mut reply).await?;
    Ok(reply)
}

/// Waits until that many requests were handled, whose replies are then delayed.
async fn handled(sandbox: &Sandbox, requests: usize) {
    while sandbox.requests().len() < requests {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_caller_that_has_gone_frees_its_place() -> TestResult {
    let sandbox = Sandbox::builder().connections(2).start().await?;
    let callers = [send_slow(&sandbox).await?, send_slow(&sandbox).await?];
    handled(&sandbox, 2).await;
    drop(callers);
    // It is served once one of the others has lost its place.
    assert!(reply_to(&sandbox, "GET /nothing").await?.starts_with("HTTP/1.1 404 "));
    Ok(())
}

#[tokio::test]
async fn the_inspection_api_is_reached_while_every_place_is_taken() -> TestResult {
    let sandbox = Sandbox::builder().connections(2).start().await?;
    let _callers = [send_slow(&sandbox).await?, send_slow(&sandbox).await?];
    handled(&sandbox, 2).await;
    let mut waiting = connect(&sandbox).await?;
    waiting.write_all(b"GET /nothing HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").await?;
    // More of them than there are places for the inspection API.
    for _ in 0..40 {
        assert!(reply_to(&sandbox, "GET /_sandbox/requests").await?.starts_with("HTTP/1.1 200 "));
        assert!(reply_to(&sandbox, "DELETE /_sandbox/faults").await?.starts_with("HTTP/1.1 204 "));
    }
    let mut byte = [0];
    assert!(tokio::time::timeout(Duration::ZERO, waiting.read(&mut byte)).await.is_err(), "it did not wait");
    Ok(())
}

#[tokio::test]
async fn the_inspection_api_is_reached_however_many_connections_wait() -> TestResult {
    let sandbox = Sandbox::builder().connections(1).start().await?;
    let _caller = send_slow(&sandbox).await?;
    handled(&sandbox, 1).await;
    let mut waiting = Vec::new();
    for _ in 0..300 {
        waiting.push(connect(&sandbox).await?);
    }
    assert!(reply_to(&sandbox, "GET /_sandbox/requests").await?.starts_with("HTTP/1.1 200 "));
    Ok(())
}
