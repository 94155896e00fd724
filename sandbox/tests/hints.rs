//! A refusal names the cause and what to do, so that nobody has to guess.

mod support;

use axum::http::Request;
use business_data_connector_sandbox::{DEMO_BUSINESS, Sandbox};
use http_body_util::Full;
use support::{TestResult, exchange, refusals};

const BODY: &str = r#"{"apikey":"demo-apikey","appid":"demo-appid","uid":"demo-business","data":{"id":"Ä"}}"#;

/// Pushes bytes as income, and returns the last refusal as text.
async fn refusal(sandbox: &Sandbox, headers: &[(&str, &str)], body: Vec<u8>) -> TestResult<String> {
    let mut request = Request::post(format!("{}/api/push/income", sandbox.base_url()));
    for (name, value) in [("content-type", "application/json")].iter().chain(headers) {
        request = request.header(*name, *value);
    }
    let status = exchange(request.body(Full::from(body))?).await?.status();
    assert_eq!(status, 400);
    Ok(refusals(sandbox).pop().ok_or("not refused")?)
}

fn utf16(encode: fn(u16) -> [u8; 2], mark: &str) -> Vec<u8> {
    format!("{mark}{BODY}").encode_utf16().flat_map(encode).collect()
}

#[tokio::test]
async fn a_body_in_another_encoding_is_refused_with_the_name_of_the_encoding() -> TestResult {
    let sandbox = Sandbox::start().await?;
    let gzip = b"\x1f\x8b\x08\0\0\0\0\0\0\x03\xab\x56".to_vec();
    let latin1: Vec<u8> = BODY.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?')).collect();
    for (body, expected) in [
        (format!("\u{feff}{BODY}").into_bytes(), "a UTF-8 byte order mark before the JSON; leave it out"),
        (gzip, "a body compressed with gzip; send it uncompressed"),
        (b"\x28\xb5\x2f\xfd\x04\0".to_vec(), "a body compressed with zstd; send it uncompressed"),
        (b"\x78\x9c\xab\x56".to_vec(), "a body compressed with zlib; send it uncompressed"),
        (utf16(u16::to_le_bytes, ""), "UTF-16LE; encode the body as UTF-8"),
        (utf16(u16::to_be_bytes, ""), "UTF-16BE; encode the body as UTF-8"),
        (utf16(u16::to_le_bytes, "\u{feff}"), "UTF-16LE; encode the body as UTF-8"),
        (utf16(u16::to_be_bytes, "\u{feff}"), "UTF-16BE; encode the body as UTF-8"),
        (BODY.chars().flat_map(|c| u32::from(c).to_le_bytes()).collect(), "UTF-32LE; encode the body as UTF-8"),
        (BODY.chars().flat_map(|c| u32::from(c).to_be_bytes()).collect(), "UTF-32BE; encode the body as UTF-8"),
        (latin1, "bytes that are not UTF-8, from byte 82 on; encode the body as UTF-8"),
        (Vec::new(), "an empty body"),
        (b" \r\n".to_vec(), "an empty body"),
        (b"{\"uid\":".to_vec(), "EOF while parsing a value at line 1 column 7"),
    ] {
        let refusal = refusal(&sandbox, &[], body).await?;
        assert!(refusal.contains(&format!("expected strict JSON, got {expected} (JSON)")), "{expected}: {refusal}");
    }
    // The compression that the header names has no bytes that it can be told from.
    let brotli = refusal(&sandbox, &[("content-encoding", "br")], b"\x8b\x02\x80{}\x03".to_vec()).await?;
    assert!(brotli.contains("got a body compressed with br; send it uncompressed (JSON)"), "{brotli}");
    assert!(sandbox.records(DEMO_BUSINESS)?.is_empty());
    Ok(())
}

#[tokio::test]
async fn a_body_over_the_limit_is_refused_with_its_size_the_limit_and_the_option() -> TestResult {
    let sandbox = Sandbox::start().await?;
    let large = refusal(&sandbox, &[], vec![b' '; 17_000_000]).await?;
    let expected = "a body of at most 16777216 bytes, which the option --body-limit changes, got 17000000 bytes (body)";
    assert!(large.contains(expected), "{large}");
    Ok(())
}

#[tokio::test]
async fn a_body_over_the_limit_without_a_length_is_refused_with_the_limit() -> TestResult {
    let sandbox = Sandbox::builder().body_limit(1000).start().await?;
    let chunks = tokio::net::TcpStream::connect(sandbox.base_url().trim_start_matches("http://")).await?;
    let head = "POST /api/push/income HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n";
    let chunk = format!("7d0\r\n{}\r\n0\r\n\r\n", " ".repeat(2000));
    let sent = format!("{head}transfer-encoding: chunked\r\nconnection: close\r\n\r\n{chunk}");
    let (mut reader, mut writer) = chunks.into_split();
    tokio::io::AsyncWriteExt::write_all(&mut writer, sent.as_bytes()).await?;
    let mut reply = String::new();
    tokio::io::AsyncReadExt::read_to_string(&mut reader, &mut reply).await?;
    assert!(reply.starts_with("HTTP/1.1 400 "), "{reply}");
    let refusal = refusals(&sandbox).pop().ok_or("not refused")?;
    let expected =
        "a body of at most 1000 bytes, which the option --body-limit changes, got more than 1000 bytes (body)";
    assert!(refusal.contains(expected), "{refusal}");
    Ok(())
}

#[tokio::test]
async fn a_misspelt_key_is_named_where_the_right_one_is_missing() -> TestResult {
    let sandbox = Sandbox::start().await?;
    for (key, misspelt) in [("uid", "UID"), ("data", "Data"), ("apikey", "apiKey"), ("appid", "app_id")] {
        let body = BODY.replace(&format!("\"{key}\":"), &format!("\"{misspelt}\":"));
        let refusal = refusal(&sandbox, &[], body.into_bytes()).await?;
        let expected =
            format!("/{key}: expected a value, got nothing; `{misspelt}` is an unknown key, perhaps `{key}`");
        assert!(refusal.contains(&expected), "{refusal}");
    }
    let missing = refusal(&sandbox, &[], BODY.replace("\"uid\":\"demo-business\",", "").into_bytes()).await?;
    assert!(missing.ends_with("/uid: expected a value, got nothing (required)"), "{missing}");
    Ok(())
}
