//! What a body costs while it is handled, counted by the allocator: at most eight times its size.
//!
//! SQLite allocates by itself, and is not counted; what it keeps are the stored records.

mod support;

use business_data_connector_sandbox::{DEMO_APIKEY, DEMO_APPID, DEMO_BUSINESS, Sandbox};
use peak_alloc::PeakAlloc;
use support::TestResult;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// The most that a body may cost, as a multiple of its size.
const MOST: usize = 8;

/// The size of each body. For the largest that is accepted by default:
/// BDC_BODY_SIZE=16777216 cargo test --release -p business-data-connector-sandbox --test memory -- --nocapture
fn body_size() -> usize {
    std::env::var("BDC_BODY_SIZE").ok().and_then(|size| size.parse().ok()).unwrap_or(2 * 1024 * 1024)
}

/// A text that begins and ends so, with as many parts between as fit.
fn filled(size: usize, begin: &str, part: impl Fn(usize) -> String, end: &str) -> String {
    let mut text = String::with_capacity(size);
    text.push_str(begin);
    for number in 0.. {
        let part = part(number);
        if text.len() + part.len() + end.len() + 1 > size {
            break;
        }
        text.push_str(if number == 0 { "" } else { "," });
        text.push_str(&part);
    }
    text.push_str(end);
    text
}

/// Sends a body without a copy of it, and returns the reply's first line.
async fn send(sandbox: &Sandbox, path: &str, content_type: &str, body: &str) -> TestResult<String> {
    let mut stream = TcpStream::connect(sandbox.base_url().trim_start_matches("http://")).await?;
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: {content_type}\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(body.as_bytes()).await?;
    let mut reply = String::new();
    stream.read_to_string(&mut reply).await?;
    Ok(reply.lines().next().unwrap_or_default().to_owned())
}

#[tokio::test]
async fn no_body_takes_more_than_eight_times_its_size_and_none_of_it_stays() -> TestResult {
    let size = body_size();
    let sandbox = Sandbox::start().await?;
    let begin = |apikey: &str, data: &str| {
        format!(r#"{{"apikey":"{apikey}","appid":"{DEMO_APPID}","uid":"{DEMO_BUSINESS}","data":{data}"#)
    };
    let many = |data: &str, part: &str, end: &str| filled(size, &begin(DEMO_APIKEY, data), |_| part.to_owned(), end);
    let (json, path) = ("application/json", "/api/push/many");
    let objects = filled(size, "[", |_| r#"{"":0}"#.to_owned(), "]");
    let keys = filled(size, &begin(DEMO_APIKEY, "{"), |number| format!(r#""{number:x}":0"#), "}}");
    let foreign = filled(size, &begin("unknown", r#"{"income":["#), |_| "{}".to_owned(), "]}}");
    for (name, content_type, status, body) in [
        ("objects as text without credentials", "text/plain", 400, objects.clone()),
        ("objects as JSON without credentials", json, 400, objects),
        ("numbers where records belong", json, 400, many(r#"{"income":["#, "1", "]}}")),
        ("lists where a record belongs", json, 400, many(r#"{"income":[["#, "[]", "]]}}")),
        ("objects where an amount belongs", json, 400, many(r#"{"income":[{"amount":["#, r#"{"":0}"#, "]}]}}")),
        ("objects under an unknown key", json, 200, many(r#"{"unknown":["#, r#"{"":0}"#, "]}}")),
        ("unknown keys", json, 200, keys),
        ("records with an unknown key of the API", json, 401, foreign),
        ("empty records", json, 200, many(r#"{"income":["#, "{}", "]}}")),
        ("one long text", json, 200, many(r#"{"income":[{"notes":""#, &"x".repeat(1_000), r#""}]}}"#)),
    ] {
        ALLOCATOR.reset_peak_usage();
        let before = ALLOCATOR.current_usage();
        let reply = send(&sandbox, path, content_type, &body).await?;
        assert!(reply.starts_with(&format!("HTTP/1.1 {status} ")), "{name}: {reply}");
        // What is queued is executed, so that this is counted as well.
        sandbox.callbacks()?;
        let (most, after) = (ALLOCATOR.peak_usage(), ALLOCATOR.current_usage());
        let costs = most.saturating_sub(before);
        println!("{name}: {:.1} times {} bytes", costs as f64 / body.len() as f64, body.len());
        assert!(costs <= MOST * body.len(), "{name}: {costs} bytes for {}", body.len());
        // The log, the connection and the buffers of the runtime are small.
        let stays = after.saturating_sub(before);
        assert!(stays < body.len() / 2, "{name}: {stays} bytes stay of {}", body.len());
    }
    Ok(())
}
