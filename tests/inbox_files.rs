//! Settlement by file in one call: the address, the upload, and the request that names it.
#![cfg(feature = "inbox")]
#![allow(clippy::unwrap_used, reason = "the helpers of a test may fail it, as the test may")]

mod support;

use std::sync::{Arc, Mutex};

use axum::{Router, extract::Request, response::IntoResponse};
use business_data_connector::{
    Connector, Decimal,
    inbox::{AwaitError, Inbox},
    types::{Settlement, SettlementEntry, SettlementFile},
};
use business_data_connector_sandbox::{DEMO_APIKEY, DEMO_APPID, DEMO_BUSINESS, DEMO_HEADER_KEY, Replies, Sandbox};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use support::{Sender, TestResult};

fn entries(count: usize) -> Vec<SettlementEntry> {
    let entry = |number| {
        let amount = format!("{number}.10").parse::<Decimal>().unwrap();
        SettlementEntry::new().settlement(Settlement::new().id(format!("SET-{number}")).amount(amount))
    };
    (0..count).map(entry).collect()
}

#[tokio::test]
async fn a_file_is_settled_whether_its_address_is_in_the_reply_or_in_the_callback() -> TestResult {
    for replies in [Replies::Specified, Replies::Observed] {
        let sandbox = Sandbox::builder().replies(replies).start().await?;
        let inbox = Inbox::bind("127.0.0.1:0", None).await?;
        let builder = Connector::builder().base_url(sandbox.base_url()).credentials(DEMO_APIKEY, DEMO_APPID);
        let connector = builder.header_key(DEMO_HEADER_KEY).build()?;
        for count in [1, 5000] {
            let call = connector.awaiting(&inbox).settle_by_file(DEMO_BUSINESS, entries(count));
            let done = call.file(SettlementFile::new().date("2026-03-31")).await?;
            assert_eq!(done.message(), Some("done"));
            assert_eq!(sandbox.records(DEMO_BUSINESS)?.len(), count);
        }
        assert!(sandbox.refusals().is_empty());
    }
    Ok(())
}

/// What a request consisted of.
#[derive(Clone, Debug)]
struct Seen {
    method: String,
    headers: Vec<String>,
    length: Option<usize>,
    body: String,
}

/// A service and its storage, which answers uploads with a status.
async fn service(upload_status: u16, address: Option<&str>) -> std::io::Result<(String, Arc<Mutex<Vec<Seen>>>)> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}", listener.local_addr()?);
    let seen = Arc::<Mutex<Vec<Seen>>>::default();
    let address = address.map_or_else(|| format!("{url}/file?token=c4n4ry"), str::to_owned);
    let receive = {
        let seen = seen.clone();
        move |request: Request| async move {
            let (head, body) = request.into_parts();
            let body = String::from_utf8(body.collect().await.unwrap().to_bytes().to_vec()).unwrap();
            let length = head.headers.get("content-length").and_then(|length| length.to_str().ok()?.parse().ok());
            let headers = head.headers.keys().map(ToString::to_string).collect();
            seen.lock().unwrap().push(Seen { method: head.method.to_string(), headers, length, body: body.clone() });
            if head.method == "PUT" {
                return axum::http::StatusCode::from_u16(upload_status).unwrap().into_response();
            }
            let request: Value = serde_json::from_str(&body).unwrap();
            if head.uri.path().contains("settlement-file") {
                Sender::new().post(request["webhook"].as_str().unwrap(), r#"{"response":{"error":false}}"#).await;
            }
            json!({ "error": false, "url": address }).to_string().into_response()
        }
    };
    tokio::spawn(async move { axum::serve(listener, Router::new().fallback(receive)).await });
    Ok((url, seen))
}

fn connector(url: &str) -> Connector {
    Connector::builder().base_url(url).credentials("a", "b").header_key("c").build().unwrap()
}

#[tokio::test]
async fn the_upload_has_its_length_and_no_header_that_nobody_signed() -> TestResult {
    let (url, seen) = service(200, None).await?;
    let inbox = Inbox::bind("127.0.0.1:0", None).await?;
    for count in [0, 1, 4000] {
        seen.lock().unwrap().clear();
        connector(&url).awaiting(&inbox).settle_by_file(DEMO_BUSINESS, entries(count)).await?;
        let seen = seen.lock().unwrap().clone();
        assert_eq!(seen.iter().map(|seen| seen.method.as_str()).collect::<Vec<_>>(), ["POST", "PUT", "POST"]);
        assert_eq!(serde_json::from_str::<Vec<SettlementEntry>>(&seen[1].body)?, entries(count));
        assert_eq!(seen[1].length, Some(seen[1].body.len()));
        let mut headers = seen[1].headers.clone();
        headers.sort();
        assert_eq!(headers, ["accept", "content-length", "host"]);
        assert_eq!(serde_json::from_str::<Value>(&seen[2].body)?["data"]["url"], format!("{url}/file?token=c4n4ry"));
    }
    Ok(())
}

#[tokio::test]
async fn an_upload_that_fails_is_reported_without_the_query_and_nothing_is_settled() -> TestResult {
    let inbox = Inbox::bind("127.0.0.1:0", None).await?;
    for (status, address, reason) in [
        (403, None, "the storage answered 403 Forbidden"),
        (307, None, "the storage answered 307 Temporary Redirect"),
        (200, Some("http://127.0.0.1:1/f?c4n4ry"), "the file could not be uploaded"),
        (200, Some("http://storage.example/f?c4n4ry"), "does not begin with https://"),
        (200, Some("c4n4ry"), "is not a URL"),
    ] {
        let (url, seen) = service(status, address).await?;
        let error = connector(&url).awaiting(&inbox).settle_by_file(DEMO_BUSINESS, entries(1)).await.unwrap_err();
        assert!(matches!(error, AwaitError::Upload(_)) && !error.may_have_been_sent(), "{error}");
        let shown = format!("{error} {error:?}");
        assert!(error.to_string().contains(reason) && !shown.contains("c4n4ry"), "{shown}");
        assert!(!seen.lock().unwrap().iter().any(|seen| seen.body.contains("\"data\"")), "{reason}");
    }
    Ok(())
}

#[tokio::test]
async fn a_call_that_was_not_made_yet_shows_no_address() {
    let inbox = Inbox::bind("127.0.0.1:0", None).await.unwrap();
    let file = SettlementFile::new().url("https://storage.example/f?c4n4ry");
    let connector = connector("http://localhost:1");
    let call = connector.awaiting(&inbox).settle_by_file(DEMO_BUSINESS, entries(1)).file(file);
    assert!(!format!("{call:?}").contains("c4n4ry"));
}
