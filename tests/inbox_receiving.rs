//! What the inbox answers to the service, and that nothing is answered 200 before it is stored.
#![cfg(all(feature = "inbox", feature = "testing"))]
#![allow(clippy::unwrap_used, reason = "the helpers of a test may fail it, as the test may")]

mod support;

use std::{
    future::ready,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use axum::{
    body::Body,
    http::{Method, StatusCode},
};
use business_data_connector::{
    callback::{CallbackAddress, CallbackEndpoint, CallbackId, CallbackKey, testing::TestCallback},
    inbox::{
        Added, Inbox, InboxBuilder, MemoryStore, NewCallback, Order, Store, StoreError, StoreFuture, StoredCallback,
    },
};
use serde_json::json;
use support::{Sender, TestResult};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

const UID: &str = "demo-business";

fn key() -> CallbackKey {
    CallbackKey::new(1, b"a secret of the tests, no. 1").unwrap()
}

/// An inbox on a port of its own, whose addresses lead to it.
async fn bound(configure: impl FnOnce(InboxBuilder) -> InboxBuilder) -> (Inbox, CallbackEndpoint) {
    let inbox = configure(Inbox::builder("http://localhost", key())).bind("127.0.0.1:0").await.unwrap();
    let address = inbox.local_address().unwrap();
    let endpoint = CallbackEndpoint::new(&format!("http://{address}/callbacks"), key()).unwrap();
    (inbox, endpoint)
}

fn address(endpoint: &CallbackEndpoint) -> CallbackAddress {
    endpoint.address_for("push_income", Some(UID)).unwrap()
}

async fn post(address: &CallbackAddress, body: impl Into<Body>) -> StatusCode {
    Sender::new().post(address.as_str(), body).await
}

#[tokio::test]
async fn a_callback_is_answered_200_and_is_there_for_whoever_asks() -> TestResult {
    let (inbox, endpoint) = bound(|builder| builder).await;
    let address = address(&endpoint);
    assert_eq!(post(&address, TestCallback::new(&address).body()).await, 200);
    let received = inbox.callbacks().next().await?;
    assert_eq!((received.id(), received.order(), received.is_late()), (address.id(), Order::Final, false));
    // It is the same one, until it is handled.
    assert_eq!(inbox.wait_for(address.id(), Duration::from_secs(5)).await?.bytes(), received.bytes());
    assert_eq!(inbox.counts().new, 1);
    Ok(())
}

#[tokio::test]
async fn what_is_not_a_genuine_callback_is_answered_404_and_counted() -> TestResult {
    let (inbox, endpoint) = bound(|builder| builder).await;
    let client = Sender::new();
    let genuine = address(&endpoint);
    let (base, token) = genuine.as_str().rsplit_once('/').ok_or("no path")?;
    for path in [base.to_owned(), format!("{base}/42"), format!("{base}/{}", &token[1..]), format!("{base}/{token}A")] {
        assert_eq!(client.post(&path, "{}").await, 404, "{path}");
    }
    let other = CallbackEndpoint::new(base, CallbackKey::random(1)?)?;
    assert_eq!(post(&address(&other), "{}").await, 404);
    assert_eq!(inbox.counts().rejected, 5);
    let replayed = TestCallback::new(&address(&endpoint)).body();
    assert_eq!(post(&genuine, replayed).await, 404);
    assert_eq!((inbox.counts().contradicted, inbox.counts().new), (1, 0));
    assert_eq!(client.send(Method::GET, genuine.as_str(), "").await, 405);
    Ok(())
}

#[tokio::test]
async fn of_racing_equal_deliveries_one_is_new() -> TestResult {
    let (inbox, endpoint) = bound(|builder| builder).await;
    for _ in 0..20 {
        let address = address(&endpoint);
        let body = TestCallback::new(&address).body();
        let before = inbox.counts();
        let statuses = tokio::join!(
            post(&address, body.clone()),
            post(&address, body.clone()),
            post(&address, body.clone()),
            post(&address, body)
        );
        assert!([statuses.0, statuses.1, statuses.2, statuses.3].iter().all(|status| *status == 200));
        let after = inbox.counts();
        assert_eq!((after.new - before.new, after.duplicates - before.duplicates), (1, 3));
    }
    Ok(())
}

#[tokio::test]
async fn interim_final_and_overtaken_callbacks_are_told_apart_and_none_is_lost() -> TestResult {
    let (inbox, endpoint) = bound(|builder| builder).await;
    let address = address(&endpoint);
    let sent = TestCallback::new(&address);
    let again = sent.clone().with("timestamp", json!("2026-03-31T12:00:05Z"));
    for body in [
        sent.clone().interim().body(),
        sent.body(),
        sent.clone().interim().with("timestamp", json!("2026-03-31T11:59:00Z")).body(),
        again.body(),
        sent.body(),
    ] {
        assert_eq!(post(&address, body).await, 200);
    }
    let mut callbacks = inbox.callbacks();
    for expected in [Order::Interim, Order::Final, Order::AfterFinal, Order::AfterFinal] {
        let received = callbacks.next().await?;
        assert_eq!(received.order(), expected);
        received.done().await?;
    }
    assert_eq!(inbox.counts().duplicates, 1);
    assert_eq!(post(&address, sent.body()).await, 200);
    assert_eq!(inbox.counts().duplicates, 2, "a handled callback is still recognised");
    Ok(())
}

#[tokio::test]
async fn a_late_callback_is_accepted_and_marked() -> TestResult {
    let (inbox, endpoint) = bound(|builder| builder).await;
    let endpoint = endpoint.lifetime(Duration::ZERO);
    let address = address(&endpoint);
    // Its address expires with the second in which it was made.
    while endpoint.verify(address.path(), "{}").is_ok() {
        tokio::task::yield_now().await;
    }
    assert_eq!(post(&address, TestCallback::new(&address).body()).await, 200);
    assert!(inbox.callbacks().next().await?.is_late());
    Ok(())
}

#[tokio::test]
async fn a_body_over_the_limit_is_answered_413_however_it_is_sent() -> TestResult {
    let (inbox, endpoint) = bound(|builder| builder.body_limit(1000)).await;
    let address = address(&endpoint);
    assert_eq!(post(&address, vec![b'x'; 1000]).await, 200);
    assert_eq!(post(&address, vec![b'x'; 1001]).await, 413);
    // Without `Content-Length`.
    let chunks = futures_util::stream::iter((0..11).map(|_| Ok::<_, std::io::Error>(vec![b'x'; 100])));
    assert_eq!(post(&address, Body::from_stream(chunks)).await, 413);
    assert_eq!(inbox.counts().too_large, 2);
    Ok(())
}

#[tokio::test]
async fn sixteen_mebibytes_are_accepted_by_default() -> TestResult {
    let (inbox, endpoint) = bound(|builder| builder).await;
    let address = address(&endpoint);
    let body = TestCallback::new(&address).response(&format!("{:?}", "x".repeat(16 * 1024 * 1024 - 1000))).body();
    assert_eq!(post(&address, body).await, 200);
    assert_eq!(inbox.counts().new, 1);
    Ok(())
}

#[tokio::test]
async fn a_sender_that_is_too_slow_is_cut_off() -> TestResult {
    let (inbox, endpoint) = bound(|builder| builder.read_timeout(Duration::from_millis(50))).await;
    let address = address(&endpoint);
    let host = inbox.local_address().ok_or("not bound")?;
    // One never sends the rest of its body, the other not even the rest of its head.
    let mut slow = TcpStream::connect(host).await?;
    slow.write_all(format!("POST {} HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\n{{", address.path()).as_bytes())
        .await?;
    let mut reply = String::new();
    slow.read_to_string(&mut reply).await?;
    assert!(reply.starts_with("HTTP/1.1 408 "), "{reply}");
    assert_eq!(inbox.counts().incomplete, 1);
    let mut slower = TcpStream::connect(host).await?;
    slower.write_all(b"POST / HT").await?;
    slower.read_to_end(&mut Vec::new()).await?;
    Ok(())
}

/// A store that fails on demand.
struct Failing(Arc<AtomicBool>, MemoryStore);

impl Store for Failing {
    fn add(&self, callback: NewCallback) -> StoreFuture<'_, Added> {
        match self.0.load(Ordering::Acquire) {
            true => Box::pin(ready(Err(StoreError::new("the disk is full")))),
            false => self.1.add(callback),
        }
    }

    fn of_address(&self, id: CallbackId, after: u64) -> StoreFuture<'_, Vec<StoredCallback>> {
        self.1.of_address(id, after)
    }

    fn unhandled(&self, after: u64, limit: usize) -> StoreFuture<'_, Vec<StoredCallback>> {
        self.1.unhandled(after, limit)
    }

    fn set_handled(&self, number: u64) -> StoreFuture<'_, ()> {
        self.1.set_handled(number)
    }

    fn is_durable(&self) -> bool {
        false
    }
}

#[tokio::test]
async fn what_cannot_be_stored_is_answered_503_so_that_it_is_sent_again() -> TestResult {
    let fails = Arc::new(AtomicBool::new(true));
    let (inbox, endpoint) = bound(|builder| builder.store(Failing(fails.clone(), MemoryStore::new()))).await;
    let address = address(&endpoint);
    let body = TestCallback::new(&address).body();
    assert_eq!(post(&address, body.clone()).await, 503);
    fails.store(false, Ordering::Release);
    assert_eq!(post(&address, body).await, 200);
    let counts = inbox.counts();
    assert_eq!((counts.not_stored, counts.new, counts.duplicates), (1, 1, 0));
    Ok(())
}

#[tokio::test]
async fn a_full_memory_refuses_what_nobody_awaits_and_accepts_what_somebody_does() -> TestResult {
    let (inbox, endpoint) = bound(|builder| builder.store(MemoryStore::new().callbacks(4).per_address(2))).await;
    let awaited = address(&endpoint);
    let waiting = tokio::spawn({
        let (inbox, id) = (inbox.clone(), awaited.id());
        async move { inbox.wait_for(id, Duration::from_secs(30)).await }
    });
    tokio::task::yield_now().await;
    let mut refused = 0;
    for _ in 0..3 {
        let address = address(&endpoint);
        refused += usize::from(post(&address, TestCallback::new(&address).body()).await == 503);
    }
    assert_eq!(refused, 1);
    assert_eq!(post(&awaited, TestCallback::new(&awaited).body()).await, 200);
    waiting.await??;
    // What is taken makes room.
    inbox.callbacks().next().await?.done().await?;
    let address = address(&endpoint);
    assert_eq!(post(&address, "1").await, 200);
    Ok(())
}

#[tokio::test]
async fn one_address_cannot_fill_the_memory() -> TestResult {
    let (inbox, endpoint) = bound(|builder| builder.store(MemoryStore::new().per_address(2))).await;
    let address = address(&endpoint);
    for (body, status) in [("1", 200), ("2", 200), ("3", 503), ("1", 200)] {
        assert_eq!(post(&address, body).await, status, "{body}");
    }
    assert_eq!(inbox.counts().duplicates, 1);
    Ok(())
}

#[tokio::test]
async fn the_router_is_nested_anywhere_and_behind_any_prefix() -> TestResult {
    let inbox = Inbox::builder("https://partner.example/callbacks", key()).build()?;
    let router = axum::Router::new().nest("/callbacks", inbox.router()).nest("/elsewhere", inbox.router());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let host = listener.local_addr()?;
    tokio::spawn(async { axum::serve(listener, router).await });
    let address = inbox.endpoint().address_for("push_income", Some(UID))?;
    let token = address.path().rsplit('/').next().ok_or("no token")?;
    let client = Sender::new();
    for (number, path) in ["callbacks/", "callbacks//", "elsewhere/a/b/"].into_iter().enumerate() {
        for end in ["", "/", "?a=b"] {
            let body = format!("{number}{end}");
            let status = client.post(&format!("http://{host}/{path}{token}{end}"), body).await;
            assert_eq!(status, 200, "{path}{end}");
        }
    }
    assert_eq!(inbox.counts().new, 9);
    Ok(())
}
