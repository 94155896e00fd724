//! Transport failures: what is known about the outcome, and what is retried.

mod support;

use std::{
    error::Error as _,
    io,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use business_data_connector::{RetryPolicy, types::IncomeRecord};
use support::{TestResult, builder};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

/// Reads a whole request, head and body.
async fn read_request(stream: &mut TcpStream) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    while !(bytes.ends_with(b"}") && bytes.windows(4).any(|end| end == b"\r\n\r\n")) {
        if stream.read_buf(&mut bytes).await? == 0 {
            break;
        }
    }
    Ok(bytes)
}

/// A TCP server that reads each request, writes `answer`, and closes the connection. Returns its URL and the number of
/// requests.
async fn raw(answer: &'static [u8]) -> io::Result<(String, Arc<AtomicUsize>)> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}", listener.local_addr()?);
    let count = Arc::new(AtomicUsize::new(0));
    let counted = count.clone();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            if read_request(&mut stream).await.is_ok_and(|bytes| !bytes.is_empty()) {
                counted.fetch_add(1, Ordering::SeqCst);
            }
            let _ = stream.write_all(answer).await;
        }
    });
    Ok((url, count))
}

#[tokio::test]
async fn a_write_is_never_retried_after_it_was_sent() -> TestResult {
    let (url, count) = raw(b"").await?;
    let connector = builder(&url).retry_policy(RetryPolicy::new().max_attempts(5)).build()?;
    let error = connector.push_income("u", IncomeRecord::new().amount(5)).await.err().ok_or("it succeeded")?;
    assert!(error.is_outcome_unknown() && !error.is_never_sent(), "{error:?}");
    assert_eq!(error.to_string(), "push_income was sent and its outcome is unknown; the service may have acted on it");
    assert!(error.source().is_some());
    assert_eq!(count.load(Ordering::SeqCst), 1);
    Ok(())
}

#[tokio::test]
async fn a_read_is_retried_after_a_transport_failure() -> TestResult {
    let (url, count) = raw(b"").await?;
    let error = builder(&url)
        .retry_policy(RetryPolicy::new().max_attempts(3))
        .build()?
        .verify_apikey()
        .await
        .err()
        .ok_or("it succeeded")?;
    assert!(error.is_outcome_unknown());
    assert_eq!(count.load(Ordering::SeqCst), 3);
    Ok(())
}

#[tokio::test]
async fn a_write_that_the_caller_declares_idempotent_is_retried() -> TestResult {
    let (url, count) = raw(b"").await?;
    let connector = builder(&url).retry_policy(RetryPolicy::new().max_attempts(2)).build()?;
    let call = connector.push_income("u", IncomeRecord::new()).idempotent();
    assert!(call.await.is_err_and(|error| error.is_outcome_unknown()));
    assert_eq!(count.load(Ordering::SeqCst), 2);
    Ok(())
}

#[tokio::test]
async fn a_retried_write_that_was_sent_once_is_not_reported_as_never_sent() -> TestResult {
    // The first attempt is received and its connection closed. After that nothing listens on the port.
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}", listener.local_addr()?);
    tokio::spawn(async move {
        if let Ok((mut stream, _)) = listener.accept().await {
            let _ = read_request(&mut stream).await;
            drop(listener);
        }
    });
    let call = builder(&url)
        .retry_policy(RetryPolicy::new().max_attempts(2))
        .build()?
        .push_income("u", IncomeRecord::new())
        .idempotent();
    let error = call.await.err().ok_or("it succeeded")?;
    assert!(error.is_outcome_unknown() && !error.is_never_sent(), "{error:?}");
    Ok(())
}

#[tokio::test]
async fn a_reply_is_not_retried_by_default() -> TestResult {
    let (url, count) = raw(b"HTTP/1.1 503 Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").await?;
    let error = builder(&url)
        .retry_policy(RetryPolicy::new().max_attempts(3))
        .build()?
        .verify_apikey()
        .await
        .err()
        .ok_or("it succeeded")?;
    assert!(error.is_server_error());
    assert_eq!(count.load(Ordering::SeqCst), 1);
    Ok(())
}

#[tokio::test]
async fn without_a_connection_a_request_was_never_sent() -> TestResult {
    // Nothing listens on port 1.
    let connector = builder("http://127.0.0.1:1").retry_policy(RetryPolicy::never()).build()?;
    let error = connector.push_income("u", IncomeRecord::new()).await.err().ok_or("it succeeded")?;
    assert!(error.is_never_sent() && !error.is_outcome_unknown(), "{error:?}");
    assert_eq!(error.to_string(), "push_income was never sent; it is safe to retry");
    Ok(())
}

#[tokio::test]
async fn a_success_that_is_cut_off_leaves_the_outcome_unknown_and_keeps_what_arrived() -> TestResult {
    let (url, _) = raw(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\nX-Part: 1\r\n\r\n{\"err").await?;
    let error = builder(&url).build()?.push_reset("u").await.err().ok_or("it succeeded")?;
    assert!(error.is_outcome_unknown());
    let reply = error.reply().ok_or("the reply is lost")?;
    assert_eq!((reply.status().as_u16(), reply.text().as_ref(), reply.is_complete()), (200, "{\"err", false));
    assert_eq!(reply.headers()["x-part"], "1");
    Ok(())
}

#[tokio::test]
async fn a_refusal_that_is_cut_off_stays_a_refusal() -> TestResult {
    let (url, _) = raw(b"HTTP/1.1 401 No\r\nContent-Length: 100\r\n\r\nhalf").await?;
    let error = builder(&url).build()?.push_reset("u").await.err().ok_or("it succeeded")?;
    assert!(error.is_unauthorized());
    assert_eq!(error.reply().map(|reply| reply.text().into_owned()).as_deref(), Some("half"));
    Ok(())
}

#[tokio::test]
async fn a_reply_that_is_not_http_leaves_the_outcome_unknown() -> TestResult {
    let (url, _) = raw(b"SSH-2.0-OpenSSH\r\n").await?;
    let error = builder(&url).build()?.push_reset("u").await.err().ok_or("it succeeded")?;
    assert!(error.is_outcome_unknown() && error.reply().is_none(), "{error:?}");
    Ok(())
}
