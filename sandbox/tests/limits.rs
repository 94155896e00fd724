//! Senders that are slow, too many, or speak no HTTP: each is told why, and none stops the others.

use std::{error::Error, time::Duration};

use business_data_connector::{
    Connector,
    types::{IncomeRecord, ManyRecords},
};
use business_data_connector_sandbox::{DEMO_APIKEY, DEMO_APPID, DEMO_BUSINESS, Sandbox};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
    time::Instant,
};

type Outcome = Result<(), Box<dyn Error>>;

const SHORT: Duration = Duration::from_millis(200);

async fn connect(sandbox: &Sandbox) -> Result<TcpStream, Box<dyn Error>> {
    Ok(TcpStream::connect(sandbox.base_url().trim_start_matches("http://")).await?)
}

/// Everything that is answered until the connection ends.
async fn answered(sandbox: &Sandbox, sent: &[u8]) -> Result<String, Box<dyn Error>> {
    let mut stream = connect(sandbox).await?;
    stream.write_all(sent).await?;
    let mut answer = Vec::new();
    // It may be reset, since not all was read.
    let _ = stream.read_to_end(&mut answer).await;
    Ok(String::from_utf8_lossy(&answer).into_owned())
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
        "POST /api/push/income HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    )
}

#[tokio::test]
async fn a_head_that_does_not_end_is_given_up() -> Outcome {
    let sandbox = Sandbox::builder().read_time(SHORT).start().await?;
    assert_eq!(answered(&sandbox, b"POST /api/push/income HTTP/1.1\r\nhost: x\r\n").await?, "");
    assert!(
        last_reason(&sandbox).starts_with("connection: None: expected a request of HTTP/1.1"),
        "{}",
        last_reason(&sandbox)
    );
    Ok(())
}

#[tokio::test]
async fn a_connection_that_nothing_is_sent_over_is_closed_without_a_word() -> Outcome {
    let sandbox = Sandbox::builder().read_time(SHORT).start().await?;
    assert!(answered(&sandbox, push("A").as_bytes()).await?.starts_with("HTTP/1.1 200 OK"));
    assert_eq!(answered(&sandbox, b"").await?, "");
    assert_eq!(sandbox.requests().len(), 1);
    Ok(())
}

#[tokio::test]
async fn a_body_that_does_not_end_is_refused() -> Outcome {
    let sandbox = Sandbox::builder().read_time(SHORT).start().await?;
    let whole = push("A");
    let answer = answered(&sandbox, &whole.as_bytes()[..whole.len() - 1]).await?;
    assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
    let wanted =
        "push_income: Some(400): expected a body that can be read, got one that had not ended after 200ms (body)";
    assert_eq!(last_reason(&sandbox), wanted);
    assert!(sandbox.records(DEMO_BUSINESS)?.is_empty());
    Ok(())
}

#[tokio::test]
async fn what_is_no_http_or_has_too_many_or_too_large_headers_is_told() -> Outcome {
    let sandbox = Sandbox::start().await?;
    let many = "x: y\r\n".repeat(101);
    let large = format!("x: {}\r\n", "y".repeat(1024 * 1024));
    for (sent, status) in [
        ("\u{16}\u{3}\u{1} a TLS handshake\r\n\r\n".to_owned(), "400"),
        (format!("POST /{} HTTP/1.1\r\nhost: x\r\n\r\n", "x".repeat(70_000)), "414"),
        (format!("POST /api/push/income HTTP/1.1\r\nhost: x\r\n{many}\r\n"), "431"),
        (format!("POST /api/push/income HTTP/1.1\r\nhost: x\r\n{large}\r\n"), "431"),
    ] {
        let answer = answered(&sandbox, sent.as_bytes()).await?;
        // A reset may overtake the answer when not all was read.
        assert!(answer.is_empty() || answer.starts_with(&format!("HTTP/1.1 {status} ")), "{answer}");
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
async fn more_connections_than_there_may_be_wait_for_their_turn() -> Outcome {
    let sandbox = Sandbox::builder().connections(2).start().await?;
    let mut first = connect(&sandbox).await?;
    let second = connect(&sandbox).await?;
    let mut third = connect(&sandbox).await?;
    third.write_all(push("third").as_bytes()).await?;
    let mut answer = [0; 15];
    for number in 0..20 {
        first.write_all(push(&format!("first-{number}")).as_bytes()).await?;
        let mut read = Vec::new();
        while !read.ends_with(b"\r\n\r\n") {
            read.push(first.read_u8().await?);
        }
    }
    let held: Vec<_> =
        sandbox.records(DEMO_BUSINESS)?.iter().filter_map(|record| record.id().map(str::to_owned)).collect();
    assert_eq!(held.len(), 20, "{held:?}");
    drop(second);
    third.read_exact(&mut answer).await?;
    assert_eq!(&answer, b"HTTP/1.1 200 OK");
    Ok(())
}

#[tokio::test]
async fn a_sender_that_does_not_finish_does_not_keep_the_sandbox_from_stopping() -> Outcome {
    const HOUR: Duration = Duration::from_secs(60 * 60);

    let sandbox = Sandbox::builder().read_time(HOUR).start().await?;
    let mut stuck = connect(&sandbox).await?;
    stuck.write_all(b"POST /api/push/income HTTP/1.1\r\nhost: x\r\n").await?;
    let connector = Connector::builder().base_url(sandbox.base_url()).credentials(DEMO_APIKEY, DEMO_APPID).build()?;
    connector.push_income(DEMO_BUSINESS, IncomeRecord::new()).await?;
    // Time is moved, not waited for.
    tokio::time::pause();
    let begun = Instant::now();
    sandbox.stop().await?;
    assert!(begun.elapsed() < HOUR / 2, "{:?}", begun.elapsed());
    Ok(())
}

#[tokio::test]
async fn an_address_or_method_that_is_none_is_told_with_the_one_that_was_probably_meant() -> Outcome {
    let sandbox = Sandbox::start().await?;
    for (line, wanted) in [
        (
            "POST /api/push/incomes",
            "none: Some(404): expected a path of the interface, perhaps /api/push/income, got /api/push/incomes (path)",
        ),
        ("POST /", "none: Some(404): expected a path of the interface, got / (path)"),
        ("GET /api/push/income", "none: Some(405): expected POST, as for every operation, got GET (method)"),
    ] {
        let answer =
            answered(&sandbox, format!("{line}?token=s HTTP/1.1\r\nconnection: close\r\n\r\n").as_bytes()).await?;
        assert!(answer.starts_with("HTTP/1.1 40"), "{answer}");
        assert_eq!(last_reason(&sandbox), wanted);
    }
    answered(&sandbox, b"GET /favicon.ico HTTP/1.1\r\nconnection: close\r\n\r\n").await?;
    assert_eq!(sandbox.requests().len(), 3);
    Ok(())
}

#[tokio::test]
async fn what_is_remembered_of_a_request_is_short_however_long_its_parts_are() -> Outcome {
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
        answered(&sandbox, format!("{head}\r\n\r\n{body}").as_bytes()).await?;
    }
    let requests = sandbox.requests();
    assert_eq!(requests.len(), 5);
    for request in requests {
        assert!(request.reasons.len() <= 100 && request.warnings.len() <= 100);
        let told = format!("{:?} {:?} {:?}", request.uid, request.reasons, request.warnings);
        assert!(told.len() < 100 * 1024, "{}", told.len());
    }
    Ok(())
}

#[tokio::test]
async fn whoever_has_sent_all_may_close_that_side_and_is_answered() -> Outcome {
    let sandbox = Sandbox::start().await?;
    let mut stream = connect(&sandbox).await?;
    stream.write_all(push("A").as_bytes()).await?;
    stream.shutdown().await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");
    Ok(())
}

#[tokio::test]
async fn a_reader_who_does_not_read_loses_the_place() -> Outcome {
    let sandbox = Sandbox::builder().connections(1).read_time(SHORT).start().await?;
    let many: Vec<_> = (0..10_000).map(|id| IncomeRecord::new().id(id.to_string()).name("x".repeat(1_000))).collect();
    let connector = Connector::builder().base_url(sandbox.base_url()).credentials(DEMO_APIKEY, DEMO_APPID).build()?;
    connector.push_many(DEMO_BUSINESS, ManyRecords::new().income(many)).await?;
    drop(connector);
    let mut stuck = connect(&sandbox).await?;
    let path = format!("/_sandbox/businesses/{DEMO_BUSINESS}/records");
    stuck.write_all(format!("GET {path} HTTP/1.1\r\nhost: x\r\n\r\n").as_bytes()).await?;
    // It is only served once the other has lost its place.
    assert!(answered(&sandbox, push("A").as_bytes()).await?.starts_with("HTTP/1.1 200 OK"));
    drop(stuck);
    Ok(())
}

#[tokio::test]
async fn a_fault_that_does_not_end_is_given_up() -> Outcome {
    let sandbox = Sandbox::builder().read_time(SHORT).start().await?;
    let head = "POST /_sandbox/faults HTTP/1.1\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{";
    assert!(answered(&sandbox, head.as_bytes()).await?.starts_with("HTTP/1.1 400 "));
    Ok(())
}

#[tokio::test]
async fn limits_within_which_nothing_could_be_served_are_refused() -> Outcome {
    for builder in [
        Sandbox::builder().connections(0),
        Sandbox::builder().connections(usize::MAX),
        Sandbox::builder().read_time(Duration::ZERO),
        Sandbox::builder().read_time(Duration::MAX),
        Sandbox::builder().body_limit(0),
    ] {
        let error = builder.start().await.err().ok_or("it was started")?;
        assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput, "{error}");
    }
    Ok(())
}
