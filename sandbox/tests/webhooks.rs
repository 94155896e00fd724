//! Which webhooks are called, and how.

mod support;

use std::sync::{Arc, Mutex};

use axum::{Router, http::Uri};
use business_data_connector::types::IncomeRecord;
use business_data_connector_sandbox::{CallbackState, DEMO_BUSINESS, LoggedCallback, Sandbox};
use support::{TestResult, builder};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

/// The callback of a push, once its first attempt has ended.
async fn attempted(sandbox: &Sandbox, webhook: &str) -> TestResult<LoggedCallback> {
    let connector = builder(sandbox).build()?;
    connector.push_income(DEMO_BUSINESS, IncomeRecord::new()).webhook(webhook).await?;
    loop {
        match sandbox.callbacks()?.pop() {
            Some(callback) if !callback.attempts.is_empty() => return Ok(callback),
            _ => tokio::task::yield_now().await,
        }
    }
}

#[tokio::test]
async fn a_webhook_that_can_never_be_called_is_reported_and_its_callback_discarded_at_once() -> TestResult {
    let sandbox = Sandbox::start().await?;
    let own = sandbox.base_url().to_owned();
    let port = own.rsplit(':').next().unwrap_or_default().to_owned();
    for (webhook, reason) in [
        ("http://127.0.0.1:99999/".to_owned(), "a port is at most 65535"),
        ("https://127.0.0.1/".to_owned(), "does not begin with http://"),
        ("http://192.0.2.1/".to_owned(), "--allow-remote-callbacks"),
        ("nonsense".to_owned(), "is not a URL"),
        (format!("{own}/_sandbox/reset"), "is the sandbox itself"),
        (format!("http://localhost:{port}/_sandbox/reset"), "is the sandbox itself"),
    ] {
        let callback = attempted(&sandbox, &webhook).await?;
        assert_eq!((callback.state, callback.attempts.len()), (CallbackState::Discarded, 1), "{webhook}");
        assert!(callback.attempts[0].outcome.contains(reason), "{webhook}: {callback:?}");
        let warnings = sandbox.requests().pop().map(|request| request.warnings).unwrap_or_default();
        assert!(warnings.iter().any(|warning| warning.contains(reason)), "{webhook}: {warnings:?}");
    }
    assert_eq!(sandbox.records(DEMO_BUSINESS)?.len(), 6, "nothing was wiped");
    Ok(())
}

#[tokio::test]
async fn a_callback_changes_no_sandbox() -> TestResult {
    let (sandbox, other) = (Sandbox::start().await?, Sandbox::start().await?);
    builder(&other).build()?.push_income(DEMO_BUSINESS, IncomeRecord::new()).await?;
    let callback = attempted(&sandbox, &format!("{}/_sandbox/reset", other.base_url())).await?;
    assert_eq!(callback.attempts[0].outcome, "replied 403");
    assert_eq!(other.records(DEMO_BUSINESS)?.len(), 1);
    Ok(())
}

#[tokio::test]
async fn the_address_of_a_webhook_is_percent_encoded_and_called_without_its_user() -> TestResult {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    let head = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await?;
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            head.push(stream.read_u8().await?);
        }
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await?;
        std::io::Result::Ok(head)
    });
    let sandbox = Sandbox::start().await?;
    let callback = attempted(&sandbox, &format!("http://user:secret@{address}/h ö?name=José")).await?;
    assert_eq!(callback.state, CallbackState::Delivered, "{callback:?}");
    let head = String::from_utf8(head.await??)?;
    assert!(head.starts_with("POST /h%20%C3%B6?name=Jos%C3%A9 HTTP/1.1\r\n"), "{head}");
    assert!(!head.contains("secret") && !head.to_lowercase().contains("authorization"), "{head}");
    Ok(())
}

#[tokio::test]
async fn pulls_of_a_receiver_that_never_replies_are_stored_once() -> TestResult {
    // What is called is kept, so that no more than the first is needed.
    let called = Arc::<Mutex<Vec<Uri>>>::default();
    let seen = called.clone();
    let silent = Router::new().fallback(move |uri: Uri| async move {
        seen.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(uri);
        std::future::pending::<()>().await;
    });
    let url = support::serve(silent).await?;
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("file");
    let sandbox = Sandbox::builder().data(&file).start().await?;
    let connector = builder(&sandbox).build()?;
    let record = |id: u32| IncomeRecord::new().id(id.to_string()).name("x".repeat(1_000));
    let many = business_data_connector::types::ManyRecords::new().income((0..1_000).map(record).collect::<Vec<_>>());
    connector.push_many(DEMO_BUSINESS, many).await?;
    for number in 0..40 {
        connector.pull_income(DEMO_BUSINESS, format!("{url}/{number}")).await?;
    }
    assert_eq!(sandbox.callbacks()?.len(), 40);
    // The records take a megabyte, and so does their response.
    let size: u64 =
        std::fs::read_dir(&folder)?.map(|entry| Ok(entry?.metadata()?.len())).sum::<std::io::Result<_>>()?;
    assert!(size < 12_000_000, "{size}");
    Ok(())
}
