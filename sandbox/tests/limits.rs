//! Clients that are slow, too many, or send invalid HTTP: each is logged with a reason, and none blocks the others.

mod support;

use std::time::Duration;

use business_data_connector::{
    Connector,
    types::{IncomeRecord, ManyRecords},
};
use business_data_connector_sandbox::{DEMO_APIKEY, DEMO_APPID, DEMO_BUSINESS, Error, Sandbox};
use support::TestResult;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::Instant,
};

const SHORT: Duration = Duration::from_millis(200);

async fn connect(sandbox: &Sandbox) -> TestResult<TcpStream> {
    Ok(TcpStream::connect(sandbox.base_url().trim_start_matches("http://")).await?)
}

/// Everything that is received until the connection ends.
async fn reply_to(sandbox: &Sandbox, sent: &[u8]) -> TestResult<String> {
    let mut stream = connect(sandbox).await?;
    stream.write_all(sent).await?;
    let mut reply = Vec::new();
    // The connection may be reset, since the sandbox does not read everything.
    let _ = stream.read_to_end(&mut reply).await;
    Ok(String::from_utf8_lossy(&reply).into_owned())
}

fn last_reason(sandbox: &Sandbox) -> String {
    let last = sandbox.requests().pop();
    last.map(|request| format!("{}: {:?}: {}", request.operation, request.status, request.reasons[0]))
        .unwrap_or_default()
}

fn push(id: &str) -> String {
    let body = format!(
        r#"{{"apikey":"{DEMO_APIKEY}","appid":"{DEMO_APPID}","uid":"{DEMO_BUSINESS}","data":{{"id":"{id}"}}}}"#
    );
    let length = body.len();
    format!(
        "POST /api/push/income HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    )
}

#[tokio::test]
async fn an_incomplete_head_times_out() -> TestResult {
    let sandbox = Sandbox::builder().read_timeout(SHORT).start().await?;
    assert_eq!(reply_to(&sandbox, b"POST /api/push/income HTTP/1.1\r\nhost: localhost\r\n").await?, "");
    assert!(
        last_reason(&sandbox).starts_with("connection: None: expected a valid HTTP/1.1 request"),
        "{}",
        last_reason(&sandbox)
    );
    Ok(())
}

#[tokio::test]
async fn an_idle_connection_is_closed_and_not_logged() -> TestResult {
    let sandbox = Sandbox::builder().read_timeout(SHORT).start().await?;
    assert!(reply_to(&sandbox, push("A").as_bytes()).await?.starts_with("HTTP/1.1 200 OK"));
    assert_eq!(reply_to(&sandbox, b"").await?, "");
    assert_eq!(sandbox.requests().len(), 1);
    Ok(())
}

#[tokio::test]
async fn an_incomplete_body_is_refused() -> TestResult {
    let sandbox = Sandbox::builder().read_timeout(SHORT).start().await?;
    let whole = push("A");
    let reply = reply_to(&sandbox, &whole.as_bytes()[..whole.len() - 1]).await?;
    assert!(reply.starts_with("HTTP/1.1 400 "), "{reply}");
    let expected =
        "push_income: Some(400): expected a complete body within the limits, got an incomplete one after 200ms (body)";
    assert_eq!(last_reason(&sandbox), expected);
    assert!(sandbox.records(DEMO_BUSINESS)?.is_empty());
    Ok(())
}

#[tokio::test]
async fn invalid_http_and_too_many_or_too_large_headers_are_logged() -> TestResult {
    let sandbox = Sandbox::start().await?;
    let many = "x: y\r\n".repeat(101);
    let large = format!("x: {}\r\n", "y".repeat(1024 * 1024));
    for (sent, status) in [
        ("\u{16}\u{3}\u{1} a TLS handshake\r\n\r\n".to_owned(), "400"),
        (format!("POST /{} HTTP/1.1\r\nhost: localhost\r\n\r\n", "x".repeat(70_000)), "414"),
        (format!("POST /api/push/income HTTP/1.1\r\nhost: localhost\r\n{many}\r\n"), "431"),
        (format!("POST /api/push/income HTTP/1.1\r\nhost: localhost\r\n{large}\r\n"), "431"),
    ] {
        let reply = reply_to(&sandbox, sent.as_bytes()).await?;
        // A reset may overtake the reply, since the sandbox does not read everything.
        assert!(reply.is_empty() || reply.starts_with(&format!("HTTP/1.1 {status} ")), "{reply}");
        assert!(
            last_reason(&sandbox).starts_with(&format!("connection: Some({status}): expected")),
            "{}",
            last_reason(&sandbox)
        );
    }
    assert_eq!(sandbox.requests().len(), 4);
    Ok(())
}

#[tokio::test]
async fn connections_over_the_limit_wait_for_their_turn() -> TestResult {
    let sandbox = Sandbox::builder().connections(2).start().await?;
    let mut first = connect(&sandbox).await?;
    let second = connect(&sandbox).await?;
    let mut third = connect(&sandbox).await?;
    third.write_all(push("third").as_bytes()).await?;
    let mut reply = [0; 15];
    for number in 0..20 {
        first.write_all(push(&format!("first-{number}")).as_bytes()).await?;
        let mut read = Vec::new();
        while !read.ends_with(b"\r\n\r\n") {
            read.push(first.read_u8().await?);
        }
    }
    let stored: Vec<_> =
        sandbox.records(DEMO_BUSINESS)?.iter().filter_map(|record| record.id().map(str::to_owned)).collect();
    assert_eq!(stored.len(), 20, "{stored:?}");
    drop(second);
    third.read_exact(&mut reply).await?;
    assert_eq!(&reply, b"HTTP/1.1 200 OK");
    Ok(())
}

#[tokio::test]
async fn an_incomplete_request_does_not_keep_the_sandbox_from_stopping() -> TestResult {
    const HOUR: Duration = Duration::from_secs(60 * 60);

    let sandbox = Sandbox::builder().read_timeout(HOUR).start().await?;
    let mut stuck = connect(&sandbox).await?;
    stuck.write_all(b"POST /api/push/income HTTP/1.1\r\nhost: localhost\r\n").await?;
    let connector = Connector::builder().base_url(sandbox.base_url()).credentials(DEMO_APIKEY, DEMO_APPID).build()?;
    connector.push_income(DEMO_BUSINESS, IncomeRecord::new()).await?;
    // Time is advanced, not waited for.
    tokio::time::pause();
    let started = Instant::now();
    sandbox.stop().await?;
    assert!(started.elapsed() < HOUR / 2, "{:?}", started.elapsed());
    Ok(())
}

#[tokio::test]
async fn an_unknown_path_or_method_is_logged_with_the_one_that_was_probably_meant() -> TestResult {
    let sandbox = Sandbox::start().await?;
    for (line, expected) in [
        (
            "POST /api/push/incomes",
            "none: Some(404): expected a path of the interface, perhaps /api/push/income, got /api/push/incomes (path)",
        ),
        ("POST /", "none: Some(404): expected a path of the interface, got / (path)"),
        ("GET /api/push/income", "none: Some(405): expected POST, the method of every operation, got GET (method)"),
    ] {
        let reply =
            reply_to(&sandbox, format!("{line}?token=s HTTP/1.1\r\nconnection: close\r\n\r\n").as_bytes()).await?;
        assert!(reply.starts_with("HTTP/1.1 40"), "{reply}");
        assert_eq!(last_reason(&sandbox), expected);
    }
    reply_to(&sandbox, b"GET /favicon.ico HTTP/1.1\r\nconnection: close\r\n\r\n").await?;
    assert_eq!(sandbox.requests().len(), 3);
    Ok(())
}

#[tokio::test]
async fn the_log_entry_of_a_request_is_short_however_long_the_request_is() -> TestResult {
    let sandbox = Sandbox::start().await?;
    let long = "x".repeat(1024 * 1024);
    let keys: String = (0..10_000).map(|number| format!(",\"unknown-{number}\":1")).collect();
    let wrong = "1,".repeat(10_000);
    let pair = format!(r#""apikey":"{DEMO_APIKEY}","appid":"{DEMO_APPID}""#);
    for body in [
        format!(r#"{{{pair},"uid":"{long}","data":{{}}}}"#),
        format!(r#"{{{pair},"uid":"{DEMO_BUSINESS}","data":{{"{long}":1}}}}"#),
        format!(r#"{{{pair},"uid":"{DEMO_BUSINESS}","data":{{"{long}":1,"{long}":2}}}}"#),
        format!(r#"{{{pair},"uid":"{DEMO_BUSINESS}","data":{{"id":"A"{keys}}}}}"#),
        format!(r#"{{{pair},"uid":"{DEMO_BUSINESS}","data":{{"income":[{wrong}1]}}}}"#),
    ] {
        let path = if body.contains("income") { "many" } else { "income" };
        let length = body.len();
        let head = format!(
            "POST /api/push/{path} HTTP/1.1\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {length}"
        );
        reply_to(&sandbox, format!("{head}\r\n\r\n{body}").as_bytes()).await?;
    }
    let requests = sandbox.requests();
    assert_eq!(requests.len(), 5);
    for request in requests {
        assert!(request.reasons.len() <= 100 && request.warnings.len() <= 100);
        let logged = format!("{:?} {:?} {:?}", request.uid, request.reasons, request.warnings);
        assert!(logged.len() < 100 * 1024, "{}", logged.len());
    }
    Ok(())
}

#[tokio::test]
async fn a_client_that_closes_its_sending_side_gets_the_reply() -> TestResult {
    let sandbox = Sandbox::start().await?;
    let mut stream = connect(&sandbox).await?;
    stream.write_all(push("A").as_bytes()).await?;
    stream.shutdown().await?;
    let mut reply = String::new();
    stream.read_to_string(&mut reply).await?;
    assert!(reply.starts_with("HTTP/1.1 200 OK"), "{reply}");
    Ok(())
}

#[tokio::test]
async fn a_client_that_does_not_read_the_reply_loses_its_connection() -> TestResult {
    let sandbox = Sandbox::builder().connections(1).read_timeout(SHORT).start().await?;
    let many: Vec<_> = (0..10_000).map(|id| IncomeRecord::new().id(id.to_string()).name("x".repeat(1_000))).collect();
    let connector = Connector::builder().base_url(sandbox.base_url()).credentials(DEMO_APIKEY, DEMO_APPID).build()?;
    connector.push_many(DEMO_BUSINESS, ManyRecords::new().income(many)).await?;
    drop(connector);
    let mut stuck = connect(&sandbox).await?;
    let path = format!("/_sandbox/businesses/{DEMO_BUSINESS}/records");
    stuck.write_all(format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n").as_bytes()).await?;
    // It is served only once the other connection was closed.
    assert!(reply_to(&sandbox, push("A").as_bytes()).await?.starts_with("HTTP/1.1 200 OK"));
    drop(stuck);
    Ok(())
}

#[tokio::test]
async fn an_incomplete_fault_rule_times_out() -> TestResult {
    let sandbox = Sandbox::builder().read_timeout(SHORT).start().await?;
    let head = "POST /_sandbox/faults HTTP/1.1\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{";
    assert!(reply_to(&sandbox, head.as_bytes()).await?.starts_with("HTTP/1.1 400 "));
    Ok(())
}

#[tokio::test]
async fn limits_with_which_nothing_could_be_served_are_refused() -> TestResult {
    for builder in [
        Sandbox::builder().connections(0),
        Sandbox::builder().connections(usize::MAX),
        Sandbox::builder().read_timeout(Duration::ZERO),
        Sandbox::builder().read_timeout(Duration::MAX),
        Sandbox::builder().body_limit(0),
    ] {
        let error = builder.start().await.err().ok_or("it was started")?;
        assert!(matches!(error, Error::InvalidLimit { .. }), "{error}");
    }
    Ok(())
}
