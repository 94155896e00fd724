//! What can be sent again, when, and whether a call does so by itself.

mod support;

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use axum::{body::Body, http::Response};
use business_data_connector::{Error, Reply, Retry, RetryPolicy, types::IncomeRecord};
use support::{MockServer, TestResult, builder};
use tokio::time::Instant;

const HOUR: Duration = Duration::from_secs(3600);

/// The error of a write and that of a read whose reply is this one.
async fn write_and_read(
    status: u16,
    headers: &'static [(&str, &str)],
    body: &'static str,
) -> Result<[Error; 2], Box<dyn std::error::Error>> {
    let server = MockServer::answering(status, headers, body).await?;
    let connector = builder(&server.url).build()?;
    let write = connector.push_income("u", IncomeRecord::new()).await.err().ok_or("the write succeeded")?;
    let read = connector.verify_apikey().await.err().ok_or("the read succeeded")?;
    Ok([write, read])
}

#[tokio::test]
async fn every_status_decides_whether_a_write_and_a_read_can_be_sent_again() -> TestResult {
    use Retry::{After, CheckFirst, Never};
    let second = After(Retry::UNSPECIFIED);
    let seven = After(Duration::from_secs(7));
    let wait: &[(&str, &str)] = &[("retry-after", "7")];
    for (status, headers, write, read) in [
        (400, &[][..], Never, Never),
        (401, &[], Never, Never),
        (403, &[], Never, Never),
        (404, &[], Never, Never),
        (405, &[], Never, Never),
        (408, &[], CheckFirst, second),
        (413, &[], Never, Never),
        (307, &[("location", "http://127.0.0.1:1/")], Never, Never),
        (429, &[], second, second),
        (429, wait, seven, seven),
        (500, &[], CheckFirst, second),
        (500, wait, CheckFirst, seven),
        (502, &[], CheckFirst, second),
        (503, &[], CheckFirst, second),
        (503, wait, seven, seven),
        (504, &[], CheckFirst, second),
        (504, wait, CheckFirst, seven),
    ] {
        let [on_write, on_read] = write_and_read(status, headers, "").await?;
        assert_eq!((on_write.retry(), on_read.retry()), (write, read), "{status} {headers:?}");
    }
    Ok(())
}

#[tokio::test]
async fn retry_after_is_read_in_both_forms_and_capped() -> TestResult {
    const DATE: (&str, &str) = ("date", "Sun, 06 Nov 1994 08:49:37 GMT");
    let seconds = |seconds| Some(Duration::from_secs(seconds));
    for (headers, expected) in [
        (&[][..], None),
        (&[("retry-after", "0")], seconds(0)),
        (&[("retry-after", " 120 ")], seconds(120)),
        (&[("retry-after", "86400")], Some(HOUR)),
        (&[("retry-after", "99999999999999999999999999")], Some(HOUR)),
        (&[("retry-after", "soon")], None),
        (&[("retry-after", "-5")], None),
        (&[("retry-after", "1.5")], None),
        (&[("retry-after", "")], None),
        (&[("retry-after", "Sun, 06 Nov 1994 08:50:37 GMT"), DATE], seconds(60)),
        (&[("retry-after", "Sunday, 06-Nov-94 08:50:37 GMT"), DATE], seconds(60)),
        (&[("retry-after", "Sun Nov  6 08:50:37 1994"), DATE], seconds(60)),
        (&[("retry-after", "Sun, 06 Nov 1994 08:00:00 GMT"), DATE], seconds(0)),
        (&[("retry-after", "Mon, 07 Nov 1994 08:49:37 GMT"), DATE], Some(HOUR)),
    ] {
        let [error, _] = write_and_read(429, headers, "").await?;
        assert_eq!(error.retry_after(), expected, "{headers:?}");
        assert_eq!(error.retry(), Retry::After(expected.unwrap_or(Retry::UNSPECIFIED)), "{headers:?}");
    }
    Ok(())
}

#[tokio::test]
async fn a_success_that_cannot_be_read_is_not_a_success() -> TestResult {
    const GZIPPED: &str = "\u{1f}not really gzip";
    for (headers, body, problem) in [
        (&[("content-encoding", "gzip")][..], GZIPPED, "content coding"),
        (&[("content-encoding", "identity, br")], "{}", "content coding"),
        (&[("content-type", "text/html")], "<p>Please log in</p>", "page for people"),
        (&[("content-type", "Text/HTML; charset=utf-8")], "<p>Please log in</p>", "page for people"),
        (&[("content-type", "application/json")], "{\"queued\":", "declared as JSON"),
        (&[("content-type", "application/json; charset=utf-8")], "OK", "declared as JSON"),
        (&[("content-type", "application/problem+json")], "{} {}", "declared as JSON"),
    ] {
        let [write, read] = write_and_read(200, headers, body).await?;
        for error in [&write, &read] {
            assert!(matches!(error, Error::UnreadableReply { .. }) && error.to_string().contains(problem), "{error}");
            assert_eq!(error.reply().map(|reply| reply.text().into_owned()).as_deref(), Some(body));
        }
        assert_eq!((write.retry(), read.retry()), (Retry::CheckFirst, Retry::Never));
    }
    for (headers, body) in [
        (&[("content-encoding", "identity"), ("content-type", "application/json")][..], "{\"error\":false}"),
        (&[("content-type", "application/json")], "\u{feff}[1e999]"),
        (&[("content-type", "application/json")], ""),
        (&[("content-type", "text/html")], ""),
        (&[("content-type", "text/plain")], "OK"),
    ] {
        let server = MockServer::answering(200, headers, body).await?;
        let reply = builder(&server.url).build()?.push_reset("u").await?;
        assert_eq!(reply.text(), body);
    }
    Ok(())
}

#[tokio::test]
async fn the_error_flag_is_found_however_its_key_is_escaped() -> TestResult {
    for body in
        [r#"{"\u0065rror":true}"#, r#"{"a":1,"\u0065\u0072\u0072\u006f\u0072" : true}"#, r#"{"err\u006Fr":true}"#]
    {
        let [write, _] = write_and_read(200, &[("content-type", "application/json")], body).await?;
        assert!(write.is_refused(), "{body}: {write:?}");
    }
    Ok(())
}

/// A server that answers with the statuses in turn, the last one for good, and `Retry-After: 30`.
async fn in_turn(statuses: &'static [u16]) -> std::io::Result<MockServer> {
    let count = Arc::new(AtomicUsize::new(0));
    MockServer::start(move |_| {
        let index = count.fetch_add(1, Ordering::SeqCst).min(statuses.len() - 1);
        async move {
            let mut response = Response::new(Body::empty());
            *response.status_mut() = statuses[index].try_into().unwrap_or_default();
            response.headers_mut().insert("retry-after", axum::http::HeaderValue::from_static("30"));
            response
        }
    })
    .await
}

/// Pushes through a connector of its own; also how long it took by the clock of the test.
async fn push(server: &MockServer, policy: Option<RetryPolicy>) -> Result<(Result<Reply, Error>, Duration), Error> {
    let call = builder(&server.url).build()?.push_income("u", IncomeRecord::new().amount(5)).timeout(HOUR);
    let call = match policy {
        Some(policy) => call.retry_policy(policy),
        None => call,
    };
    tokio::time::pause();
    let begun = Instant::now();
    let result = call.await;
    tokio::time::resume();
    Ok((result, begun.elapsed()))
}

#[tokio::test]
async fn by_default_no_reply_is_retried() -> TestResult {
    let server = in_turn(&[429, 200]).await?;
    let (result, _) = push(&server, None).await?;
    assert!(result.is_err_and(|error| error.is_rate_limited()));
    assert_eq!(server.seen().len(), 1);
    Ok(())
}

#[tokio::test]
async fn on_request_429_and_503_are_retried_after_the_time_asked_for_with_the_same_bytes() -> TestResult {
    let server = in_turn(&[429, 503, 200]).await?;
    let (result, elapsed) = push(&server, Some(RetryPolicy::new().after_replies())).await?;
    assert_eq!(result?.status(), 200);
    assert!(elapsed >= Duration::from_secs(60), "{elapsed:?}");
    let bodies: Vec<_> = server.seen().iter().map(|seen| seen.body.clone()).collect();
    assert_eq!(bodies.len(), 3);
    assert!(bodies.iter().all(|body| *body == bodies[0]));
    Ok(())
}

#[tokio::test]
async fn on_request_attempts_are_limited_and_a_write_is_not_retried_after_a_504() -> TestResult {
    let server = in_turn(&[429]).await?;
    let (result, _) = push(&server, Some(RetryPolicy::new().max_attempts(4).after_replies())).await?;
    assert!(result.is_err_and(|error| error.is_rate_limited()));
    assert_eq!(server.seen().len(), 4);

    let server = in_turn(&[504, 200]).await?;
    let (result, _) = push(&server, Some(RetryPolicy::new().after_replies())).await?;
    assert!(result.is_err_and(|error| error.retry() == Retry::CheckFirst));
    assert_eq!(server.seen().len(), 1);

    let server = in_turn(&[504, 200]).await?;
    let connector = builder(&server.url).retry_policy(RetryPolicy::new().after_replies()).build()?;
    tokio::time::pause();
    let result = connector.push_income("u", IncomeRecord::new()).idempotent().timeout(HOUR).await;
    assert_eq!(result?.status(), 200);
    Ok(())
}

#[tokio::test]
async fn no_retry_begins_that_the_timeout_would_cut_off() -> TestResult {
    let server = in_turn(&[429, 200]).await?;
    let connector = builder(&server.url).retry_policy(RetryPolicy::new().after_replies()).build()?;
    let error = connector.verify_apikey().timeout(Duration::from_secs(20)).await.err().ok_or("it succeeded")?;
    assert_eq!((error.retry_after(), server.seen().len()), (Some(Duration::from_secs(30)), 1));
    Ok(())
}

#[tokio::test]
async fn zero_attempts_count_as_one() -> TestResult {
    let server = in_turn(&[200]).await?;
    let (result, _) = push(&server, Some(RetryPolicy::new().max_attempts(0))).await?;
    assert_eq!((result?.status().as_u16(), server.seen().len()), (200, 1));
    Ok(())
}
