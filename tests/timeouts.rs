//! The caller's deadline decides, and nothing else: no time passes here, the clock is moved.

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

/// A service that takes as long as configured, by moving the clock once the request has arrived.
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
async fn an_answer_after_16_seconds_arrives_within_a_deadline_of_30() -> TestResult {
    let service = slow(16).await?;
    let connector = builder(&service.url).timeout(Duration::from_secs(30)).build()?;
    assert_eq!(connector.push_reset("u").await?.text(), "late");
    Ok(())
}

#[tokio::test]
async fn without_a_deadline_an_answer_after_a_week_arrives() -> TestResult {
    let service = slow(7 * 24 * 3600).await?;
    assert_eq!(builder(&service.url).no_timeout().build()?.push_reset("u").await?.text(), "late");
    assert_eq!(builder(&service.url).build()?.push_reset("u").no_timeout().await?.text(), "late");
    assert_eq!(builder(&service.url).timeout(Duration::MAX).build()?.push_reset("u").await?.text(), "late");
    Ok(())
}

#[tokio::test]
async fn after_the_deadline_the_outcome_of_a_sent_request_is_unknown() -> TestResult {
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
async fn the_deadline_of_a_call_replaces_that_of_the_builder() -> TestResult {
    let service = slow(31).await?;
    let connector = builder(&service.url).timeout(Duration::from_secs(30)).build()?;
    assert_eq!(connector.push_reset("u").timeout(Duration::from_secs(40)).await?.text(), "late");
    let error = connector.push_reset("u").timeout(Duration::from_secs(1)).await.err().ok_or("it succeeded")?;
    assert!(error.is_timeout());
    Ok(())
}

#[tokio::test]
async fn the_deadline_holds_for_the_body_too() -> TestResult {
    let service = MockServer::start(|_| async { Response::new(Body::new(Stalled { asked: false })) }).await?;
    let error = builder(&service.url).timeout(Duration::from_secs(30)).build()?.push_reset("u").await;
    let error = error.err().ok_or("it succeeded")?;
    assert!(error.is_timeout() && error.is_outcome_unknown(), "{error:?}");
    assert_eq!(error.status().map(|status| status.as_u16()), Some(200));
    Ok(())
}

#[tokio::test]
async fn a_deadline_that_no_connection_meets_leaves_nothing_sent() -> TestResult {
    let service = MockServer::accepting().await?;
    let connector = builder(&service.url).timeout(Duration::ZERO).build()?;
    let error = connector.push_reset("u").await.err().ok_or("it succeeded")?;
    assert!(error.is_timeout() && error.is_never_sent(), "{error:?}");
    assert_eq!(service.seen().len(), 0);
    Ok(())
}

/// A body that never comes, while a minute goes by once the head has had its time to arrive.
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
async fn a_request_reported_as_never_sent_never_arrives_however_close_the_deadline() -> TestResult {
    let service = MockServer::accepting().await?;
    let connector = builder(&service.url).retry_policy(RetryPolicy::never()).build()?;
    // A connection that is there, and deadlines about as long as a request takes to leave.
    connector.push_reset("warm").await?;
    let mut unsent = std::collections::BTreeSet::new();
    for number in 0..4_000_u32 {
        let deadline = Duration::from_micros(u64::from(number % 400));
        let outcome = connector.push_reset(number.to_string()).timeout(deadline).await;
        if outcome.is_err_and(|error| error.is_never_sent()) {
            unsent.insert(number.to_string());
        }
    }
    // Whatever was still under way has arrived before this does.
    connector.push_reset("last").await?;
    let arrived: Vec<_> = service.seen().iter().map(|seen| seen.text()).collect();
    let wrong = unsent.iter().filter(|uid| arrived.iter().any(|body| body.contains(&format!("\"uid\":\"{uid}\""))));
    assert_eq!(wrong.count(), 0, "of {} said to be never sent", unsent.len());
    assert!(!unsent.is_empty());
    Ok(())
}
