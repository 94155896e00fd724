//! Each request has a number, which its reply, the inspection API and the log share.

mod support;

use axum::{
    body::Bytes,
    http::{Request, Response, StatusCode},
};
use business_data_connector::types::IncomeRecord;
use business_data_connector_sandbox::{DEMO_BUSINESS, Sandbox};
use http_body_util::Full;
use serde_json::{Value, json};
use support::{TestResult, builder, exchange, raw};

/// Sends a request to the sandbox.
async fn ask(sandbox: &Sandbox, method: &str, path: &str, body: &str) -> TestResult<Response<Bytes>> {
    let request = Request::builder().method(method).uri(format!("{}{path}", sandbox.base_url()));
    exchange(request.header("content-type", "application/json").body(Full::from(body.to_owned()))?).await
}

fn number(reply: &Response<Bytes>) -> Option<&str> {
    reply.headers().get("x-sandbox-request")?.to_str().ok()
}

fn income(uid: &str, notes: &str) -> String {
    json!({ "apikey": "demo-apikey", "appid": "demo-appid", "uid": uid, "data": { "notes": notes } }).to_string()
}

#[tokio::test]
async fn each_reply_has_the_number_under_which_the_request_is_inspected() -> TestResult {
    let sandbox = Sandbox::start().await?;
    for (index, (method, path, body, status)) in [
        ("POST", "/api/push/income", income(DEMO_BUSINESS, ""), 200),
        ("POST", "/api/push/income", income("nobody", ""), 400),
        ("POST", "/api/push/income", income(DEMO_BUSINESS, "sandbox:502"), 502),
        ("POST", "/api/push/income", income(DEMO_BUSINESS, "sandbox:cut"), 200),
        ("GET", "/api/push/income", String::new(), 405),
        ("POST", "/api/push/incomes", String::new(), 404),
        ("PUT", "/_sandbox/uploads/demo-business/upload-1?token=t", "[]".to_owned(), 400),
    ]
    .into_iter()
    .enumerate()
    {
        let expected = (index + 1).to_string();
        // The body of a reply that is cut cannot be read to its end.
        if body.contains("sandbox:cut") {
            assert!(ask(&sandbox, method, path, &body).await.is_err());
        } else {
            let reply = ask(&sandbox, method, path, &body).await?;
            assert_eq!((reply.status().as_u16(), number(&reply)), (status, Some(&*expected)), "{path} {body}");
        }
        let inspected = ask(&sandbox, "GET", &format!("/_sandbox/requests/{expected}"), "").await?;
        let inspected: Value = serde_json::from_slice(inspected.body())?;
        assert_eq!((&inspected["number"], &inspected["status"]), (&json!(index + 1), &json!(status)), "{inspected}");
    }
    Ok(())
}

#[tokio::test]
async fn a_file_that_is_uploaded_is_logged_as_any_other_request() -> TestResult {
    let sandbox = Sandbox::start().await?;
    let (webhook, mut callbacks) = support::receiver().await?;
    builder(&sandbox).build()?.pull_storage_upload_url(DEMO_BUSINESS).webhook(webhook).await?;
    let callback = callbacks.recv().await.ok_or("no callback")?;
    let url = callback["response"]["url"].as_str().ok_or("no address")?.to_owned();
    let reply = exchange(Request::put(&url).body(Full::from("[]"))?).await?;
    assert_eq!((reply.status(), number(&reply)), (StatusCode::OK, Some("2")));
    let requests = sandbox.requests();
    assert_eq!((requests[1].operation.as_str(), requests[1].status), ("upload", Some(200)));
    assert_eq!(requests[1].uid.as_deref(), Some(DEMO_BUSINESS));
    Ok(())
}

#[tokio::test]
async fn a_number_that_is_not_in_the_log_is_answered_with_a_reason() -> TestResult {
    let sandbox = Sandbox::start().await?;
    for (asked, status, expected) in [
        ("1", StatusCode::NOT_FOUND, "no request has the number 1"),
        ("first", StatusCode::BAD_REQUEST, "`first` is not the number of a request"),
    ] {
        let (got, body) = raw("GET", &format!("{}/_sandbox/requests/{asked}", sandbox.base_url()), "", "").await?;
        let body: Value = serde_json::from_slice(&body)?;
        assert!(got == status && body["message"].as_str().is_some_and(|m| m.contains(expected)), "{got}: {body}");
    }
    Ok(())
}

#[tokio::test]
async fn the_inspection_api_uses_up_no_numbers() -> TestResult {
    let sandbox = Sandbox::start().await?;
    let connector = builder(&sandbox).build()?;
    connector.push_income(DEMO_BUSINESS, IncomeRecord::new()).await?;
    let inspected = ask(&sandbox, "GET", "/_sandbox/requests", "").await?;
    assert_eq!(number(&inspected), None);
    let reply = connector.push_income(DEMO_BUSINESS, IncomeRecord::new()).await?;
    assert_eq!(reply.headers()["x-sandbox-request"], "2");
    Ok(())
}
