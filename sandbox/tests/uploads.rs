//! Settlement files and the addresses that they are uploaded to.

mod support;

use axum::http::StatusCode;
use business_data_connector::types::{SettlementEntry, SettlementFile};
use business_data_connector_sandbox::{DEMO_BUSINESS, Replies, Sandbox};
use serde_json::Value;
use support::{TestResult, builder, raw, receiver, refusals};

#[tokio::test]
async fn a_settlement_file_names_an_issued_address_with_an_uploaded_file() -> TestResult {
    let sandbox = Sandbox::start().await?;
    let connector = builder(&sandbox).build()?;
    let (webhook, mut callbacks) = receiver().await?;
    let settle = |url: &str| connector.push_settlement_file(DEMO_BUSINESS, SettlementFile::new().url(url));
    assert!(settle("http://127.0.0.1:1/else").await.is_err_and(|error| error.is_refused()));
    assert!(settle("https://elsewhere.example/upload-1").await.is_err_and(|error| error.is_refused()));
    connector.pull_storage_upload_url(DEMO_BUSINESS).webhook(&webhook).await?;
    let url =
        callbacks.recv().await.ok_or("no callback")?["response"]["url"].as_str().map(str::to_owned).ok_or("no url")?;
    assert!(settle(&url).await.is_err_and(|error| error.is_refused()), "no file was uploaded yet");
    for (file, status) in
        [("{", 400), ("{}", 400), (r#"[{"settlement":5}]"#, 400), (r#"[{"settlement":{"amount":1.10}}]"#, 200)]
    {
        assert_eq!(raw("PUT", &url, "application/json", file).await?.0.as_u16(), status, "{file}");
    }
    settle(&url).await?;
    let stored = sandbox.records(DEMO_BUSINESS)?;
    assert_eq!(stored.iter().map(|record| record.as_str()).collect::<Vec<_>>(), [r#"{"settlement":{"amount":1.10}}"#]);
    stored[0].json::<SettlementEntry>()?;
    assert_eq!(raw("PUT", &format!("{url}x"), "application/json", "[]").await?.0, StatusCode::BAD_REQUEST);
    assert_eq!(
        refusals(&sandbox).last().map(String::as_str),
        Some("upload: 400: expected an upload address that the sandbox issued, got an unknown address (upload)")
    );
    let (status, content) = raw("PUT", &url, "application/json", &"x".repeat(17 * 1024 * 1024)).await?;
    assert_eq!((status, content.len()), (StatusCode::BAD_REQUEST, 0));
    Ok(())
}

#[tokio::test]
async fn an_upload_address_expires_and_belongs_to_one_business() -> TestResult {
    let sandbox = Sandbox::builder().replies(Replies::Observed).clock("1000000000x".parse()?).start().await?;
    let connector = builder(&sandbox).build()?;
    let reply = connector.pull_storage_upload_url(DEMO_BUSINESS).await?.json::<Value>()?;
    let url = reply["url"].as_str().ok_or("no url")?;
    // With this clock, fifteen minutes take less than a millisecond.
    while raw("PUT", url, "application/json", "[]").await?.0 == StatusCode::OK {}
    let expected = "upload: 400: expected an upload address that the sandbox issued, got an expired address (upload)";
    assert_eq!(refusals(&sandbox).last().map(String::as_str), Some(expected));
    let others = url.replace(DEMO_BUSINESS, "business-1");
    assert_eq!(raw("PUT", &others, "application/json", "[]").await?.0, StatusCode::BAD_REQUEST);
    assert!(refusals(&sandbox).last().is_some_and(|reason| reason.ends_with("got an unknown address (upload)")));
    Ok(())
}

#[tokio::test]
async fn an_upload_is_removed_once_it_has_expired_for_as_long_as_it_is_kept() -> TestResult {
    let kept = Sandbox::builder().keep_uploads(std::time::Duration::ZERO);
    let sandbox = kept.replies(Replies::Observed).clock("1000000000x".parse()?).start().await?;
    let connector = builder(&sandbox).build()?;
    let reply = connector.pull_storage_upload_url(DEMO_BUSINESS).await?.json::<Value>()?;
    let url = reply["url"].as_str().ok_or("no url")?;
    let is_unknown = |reason: &String| reason.ends_with("got an unknown address (upload)");
    while !refusals(&sandbox).last().is_some_and(is_unknown) {
        raw("PUT", url, "application/json", "[]").await?;
    }
    Ok(())
}
