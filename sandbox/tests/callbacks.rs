//! How callbacks are delivered, and what they hold.

mod support;

use axum::{body::Bytes, http::StatusCode};
use business_data_connector::types::IncomeRecord;
use business_data_connector_sandbox::{CallbackState, DEMO_APPID, DEMO_BUSINESS, Sandbox};
use serde_json::json;
use support::{TestResult, builder, receiver, serve};
use tokio::{net::TcpListener, sync::mpsc};

#[tokio::test]
async fn a_callback_that_is_not_accepted_is_retried_four_times_and_then_discarded() -> TestResult {
    let sandbox = Sandbox::builder().clock("1000000x".parse()?).start().await?;
    let connector = builder(&sandbox).build()?;
    let (sender, mut attempts) = mpsc::unbounded_channel();
    let router = axum::Router::new().route(
        "/{outcome}",
        axum::routing::post(|axum::extract::Path(outcome): axum::extract::Path<String>, body: Bytes| async move {
            let _ = sender.send((outcome.clone(), body));
            if outcome == "accepted" { StatusCode::NO_CONTENT } else { StatusCode::SERVICE_UNAVAILABLE }
        }),
    );
    let url = serve(router).await?;
    connector.push_income(DEMO_BUSINESS, IncomeRecord::new()).webhook(format!("{url}/refused")).await?;
    let mut bodies = Vec::new();
    for _ in 0..5 {
        let (outcome, body) = attempts.recv().await.ok_or("no attempt")?;
        assert_eq!(outcome, "refused");
        bodies.push(body);
    }
    assert!(bodies.windows(2).all(|pair| pair[0] == pair[1]), "the attempts differ");
    // The first is not retried again, and one attempt is enough for the second.
    connector.push_income(DEMO_BUSINESS, IncomeRecord::new()).webhook(format!("{url}/accepted")).await?;
    assert_eq!(attempts.recv().await.map(|(outcome, _)| outcome).as_deref(), Some("accepted"));
    connector.push_income(DEMO_BUSINESS, IncomeRecord::new()).webhook(format!("{url}/accepted")).await?;
    assert_eq!(attempts.recv().await.map(|(outcome, _)| outcome).as_deref(), Some("accepted"));
    assert!(attempts.try_recv().is_err());
    Ok(())
}

/// A body that does not end.
struct Endless;

impl http_body::Body for Endless {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<http_body::Frame<Bytes>, Self::Error>>> {
        std::task::Poll::Ready(Some(Ok(http_body::Frame::data(Bytes::from_static(&[b'x'; 4096])))))
    }
}

#[tokio::test]
async fn a_receiver_whose_reply_does_not_end_has_accepted_the_callback() -> TestResult {
    let sandbox = Sandbox::start().await?;
    let connector = builder(&sandbox).build()?;
    let (sender, mut accepted) = mpsc::unbounded_channel();
    let router = axum::Router::new().route(
        "/",
        axum::routing::post(|| async move {
            let _ = sender.send(());
            axum::body::Body::new(Endless)
        }),
    );
    let webhook = format!("{}/", serve(router).await?);
    connector.push_income(DEMO_BUSINESS, IncomeRecord::new()).webhook(webhook).await?;
    accepted.recv().await.ok_or("no callback")?;
    // The status of the reply decides, whatever follows it.
    let callback = loop {
        match sandbox.callbacks()?.pop() {
            Some(callback) if !callback.attempts.is_empty() => break callback,
            _ => tokio::task::yield_now().await,
        }
    };
    assert_eq!(callback.state, CallbackState::Delivered, "{callback:?}");
    Ok(())
}

#[tokio::test]
async fn a_receiver_that_never_replies_delays_no_other() -> TestResult {
    let sandbox = Sandbox::start().await?;
    let connector = builder(&sandbox).build()?;
    // It accepts connections and never replies.
    let silent = TcpListener::bind("127.0.0.1:0").await?;
    for _ in 0..300 {
        let webhook = format!("http://{}/", silent.local_addr()?);
        connector.push_income(DEMO_BUSINESS, IncomeRecord::new()).webhook(webhook).await?;
    }
    let (webhook, mut callbacks) = receiver().await?;
    connector.push_income(DEMO_BUSINESS, IncomeRecord::new()).webhook(webhook).await?;
    callbacks.recv().await.ok_or("no callback")?;
    Ok(())
}

#[tokio::test]
async fn a_callback_reports_the_result_of_the_request_and_echoes_its_signature() -> TestResult {
    let sandbox = Sandbox::start().await?;
    let connector = builder(&sandbox).build()?;
    let (webhook, mut callbacks) = receiver().await?;
    let amount: business_data_connector::Decimal = "100.10".parse()?;
    connector
        .push_income(DEMO_BUSINESS, IncomeRecord::new().amount(amount))
        .webhook(&webhook)
        .signature("mine")
        .await?;
    let callback = callbacks.recv().await.ok_or("no callback")?;
    assert_eq!(callback["signature"], "mine");
    assert_eq!(callback["response"], json!({ "error": false, "message": "done" }));
    assert_eq!(
        callback["received"],
        json!({ "webhook": webhook, "uid": DEMO_BUSINESS, "type": "push_income", "direction": "push" })
    );
    connector.pull_income(DEMO_BUSINESS, &webhook).await?;
    let callback = callbacks.recv().await.ok_or("no callback")?;
    assert_eq!(callback["response"]["income"], json!([{ "amount": 100.10 }]));
    assert!(!callback.to_string().contains(DEMO_APPID));
    Ok(())
}
