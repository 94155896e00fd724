//! The timeout limits the whole call. The tests advance the clock instead of waiting.

mod support;

use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use axum::{body::Body, http::Response};
use business_data_connector::RetryPolicy;
use support::{MockServer, TestResult, builder};
use tokio::time::{advance, pause};

/// A service that advances the clock by some seconds after a request has arrived, and then answers.
async fn slow(seconds: u64) -> std::io::Result<MockServer> {
    MockServer::start(move |_| async move {
        pause();
        advance(Duration::from_secs(seconds)).await;
        tokio::time::resume();
        Response::new(Body::from("late"))
    })
    .await
}

#[tokio::test]
async fn a_reply_within_the_timeout_arrives() -> TestResult {
    let service = slow(16).await?;
    let connector = builder(&service.url).timeout(Duration::from_secs(30)).build()?;
    assert_eq!(connector.push_reset("u").await?.text(), "late");
    Ok(())
}

#[tokio::test]
async fn without_a_timeout_a_reply_after_a_week_arrives() -> TestResult {
    let service = slow(7 * 24 * 3600).await?;
    assert_eq!(builder(&service.url).no_timeout().build()?.push_reset("u").await?.text(), "late");
    assert_eq!(builder(&service.url).build()?.push_reset("u").no_timeout().await?.text(), "late");
    assert_eq!(builder(&service.url).timeout(Duration::MAX).build()?.push_reset("u").await?.text(), "late");
    Ok(())
}

#[tokio::test]
async fn the_outcome_of_a_request_that_was_sent_before_the_timeout_is_unknown() -> TestResult {
    let service = slow(31).await?;
    let connector = builder(&service.url).timeout(Duration::from_secs(30)).build()?;
    let error = connector.push_reset("u").await.err().ok_or("it succeeded")?;
    assert!(error.is_timeout() && error.is_outcome_unknown(), "{error:?}");
    assert_eq!(
        error.to_string(),
        "push_reset was sent and its outcome is unknown (timed out); the service may have acted on it"
    );
    assert_eq!(service.seen().len(), 1);
    Ok(())
}

#[tokio::test]
async fn the_timeout_of_a_call_replaces_that_of_the_builder() -> TestResult {
    let service = slow(31).await?;
    let connector = builder(&service.url).timeout(Duration::from_secs(30)).build()?;
    assert_eq!(connector.push_reset("u").timeout(Duration::from_secs(40)).await?.text(), "late");
    let error = connector.push_reset("u").timeout(Duration::from_secs(1)).await.err().ok_or("it succeeded")?;
    assert!(error.is_timeout());
    Ok(())
}

#[tokio::test]
async fn the_timeout_includes_reading_the_body() -> TestResult {
    let service = MockServer::start(|_| async { Response::new(Body::new(Stalled { asked: false })) }).await?;
    let error = builder(&service.url).timeout(Duration::from_secs(30)).build()?.push_reset("u").await;
    let error = error.err().ok_or("it succeeded")?;
    assert!(error.is_timeout() && error.is_outcome_unknown(), "{error:?}");
    assert_eq!(error.status().map(|status| status.as_u16()), Some(200));
    Ok(())
}

#[tokio::test]
async fn a_timeout_before_the_connection_is_made_means_never_sent() -> TestResult {
    let service = MockServer::accepting().await?;
    let connector = builder(&service.url).timeout(Duration::ZERO).build()?;
    let error = connector.push_reset("u").await.err().ok_or("it succeeded")?;
    assert!(error.is_timeout() && error.is_never_sent(), "{error:?}");
    assert_eq!(service.seen().len(), 0);
    Ok(())
}

/// A body that never arrives. It advances the clock by a minute after the client has had time to read the head.
struct Stalled {
    asked: bool,
}

impl http_body::Body for Stalled {
    type Data = axum::body::Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Self::Data>, Self::Error>>> {
        if !std::mem::replace(&mut self.asked, true) {
            tokio::spawn(async {
                for _ in 0..10_000 {
                    tokio::task::yield_now().await;
                }
                pause();
                advance(Duration::from_secs(60)).await;
                tokio::time::resume();
            });
        }
        Poll::Pending
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_request_reported_as_never_sent_never_arrives_however_short_the_timeout() -> TestResult {
    let service = MockServer::accepting().await?;
    let connector = builder(&service.url).retry_policy(RetryPolicy::never()).build()?;
    // The connection exists already, and the timeouts are about as long as it takes to send a request.
    connector.push_reset("warm").await?;
    let mut unsent = std::collections::BTreeSet::new();
    for number in 0..4_000_u32 {
        let timeout = Duration::from_micros(u64::from(number % 400));
        let result = connector.push_reset(number.to_string()).timeout(timeout).await;
        if result.is_err_and(|error| error.is_never_sent()) {
            unsent.insert(number.to_string());
        }
    }
    // Requests that were still in flight arrive before this one.
    connector.push_reset("last").await?;
    let arrived: Vec<_> = service.seen().iter().map(|seen| seen.text()).collect();
    let wrong = unsent.iter().filter(|uid| arrived.iter().any(|body| body.contains(&format!("\"uid\":\"{uid}\""))));
    assert_eq!(wrong.count(), 0, "of {} that were reported as never sent", unsent.len());
    assert!(!unsent.is_empty());
    Ok(())
}
