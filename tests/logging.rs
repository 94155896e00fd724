//! What is logged about a call, at which level, with which fields.

mod support;

use business_data_connector::{RetryPolicy, types::IncomeRecord};
use support::{Log, MockServer, TestResult, builder};
use tokio::{io::AsyncReadExt, net::TcpListener};
use tracing_subscriber::filter::LevelFilter;

/// A server that closes each connection once the whole request has arrived.
async fn closing() -> std::io::Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}", listener.local_addr()?);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let mut bytes = Vec::new();
            while !bytes.ends_with(b"}") && stream.read_buf(&mut bytes).await.is_ok_and(|read| read > 0) {}
        }
    });
    Ok(url)
}

#[tokio::test]
async fn a_write_whose_outcome_is_unknown_is_a_warning_with_its_cause_and_time() -> TestResult {
    let (log, _guard) = Log::collect(LevelFilter::WARN);
    let server = MockServer::answering(504, &[], "").await?;
    assert!(builder(&server.url).build()?.push_income("u", IncomeRecord::new()).await.is_err());
    let text = log.text();
    assert_eq!(text.lines().count(), 1, "{text}");
    for part in ["WARN", "outcome unknown", "operation=\"push_income\"", "attempt=1", "elapsed_ms=", "504 Gateway"] {
        assert!(text.contains(part), "no {part} in {text}");
    }

    assert!(builder(&closing().await?).build()?.push_income("u", IncomeRecord::new()).await.is_err());
    let text = log.text();
    let line = text.lines().nth(1).ok_or("a broken connection was not logged")?;
    assert!(line.contains("WARN") && line.contains("cause=\"error sending request: "), "{line}");
    Ok(())
}

#[tokio::test]
async fn a_failure_that_needs_nobody_is_no_warning() -> TestResult {
    let (log, _guard) = Log::collect(LevelFilter::INFO);
    for status in [400, 401, 404, 429] {
        let server = MockServer::answering(status, &[], "").await?;
        assert!(builder(&server.url).build()?.push_income("u", IncomeRecord::new()).await.is_err());
    }
    let server = MockServer::answering(504, &[], "").await?;
    assert!(builder(&server.url).build()?.verify_apikey().await.is_err());
    assert_eq!(log.text(), "");
    Ok(())
}

#[tokio::test]
async fn a_retry_is_logged_with_its_delay_and_cause() -> TestResult {
    let (log, _guard) = Log::collect(LevelFilter::INFO);
    let connector = builder("http://127.0.0.1:1").retry_policy(RetryPolicy::new().max_attempts(2)).build()?;
    assert!(connector.push_income("u", IncomeRecord::new()).await.is_err());
    let text = log.text();
    assert_eq!(text.lines().count(), 1, "{text}");
    for part in ["INFO", "retrying", "operation=\"push_income\"", "attempt=1", "delay_ms=", "cause=", "refused"] {
        assert!(text.contains(part), "no {part} in {text}");
    }
    Ok(())
}

#[tokio::test]
async fn a_success_is_logged_for_debugging_with_the_span_of_the_call() -> TestResult {
    let (log, _guard) = Log::collect(LevelFilter::DEBUG);
    let server = MockServer::accepting().await?;
    builder(&server.url).build()?.verify_apikey().await?;
    let text = log.text();
    let line = text.lines().find(|line| line.contains("replied")).ok_or("it was not logged")?;
    assert!(line.contains("call{operation=\"verify_apikey\" attempts=1 status=200}"), "{line}");
    Ok(())
}
