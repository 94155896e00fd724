//! How replies are classified. Status, headers and body are always kept.

mod support;

use std::collections::BTreeSet;

use business_data_connector::{Error, Reply};
use support::{MockServer, TestResult, builder};

/// Calls `push_reset` on a service that gives this answer.
async fn call(
    status: u16,
    headers: &'static [(&'static str, &'static str)],
    body: &'static str,
) -> Result<Result<Reply, Error>, Box<dyn std::error::Error>> {
    let service = MockServer::answering(status, headers, body).await?;
    Ok(builder(&service.url).build()?.push_reset("demo-business").await)
}

fn failed(result: Result<Reply, Error>) -> Result<Error, &'static str> {
    result.err().ok_or("the call succeeded")
}

const HTML: &[(&str, &str)] = &[("content-type", "text/html"), ("x-gateway", "g1")];
const PAGE: &str = "<html><body>upstream is down</body></html>";

/// Asserts that the reply has exactly this status and body, and these headers.
fn assert_kept(reply: Option<&Reply>, status: u16, headers: &[(&str, &str)], body: &str) {
    assert!(reply.is_some(), "the reply is lost");
    let Some(reply) = reply else { return };
    assert_eq!((reply.status().as_u16(), reply.text().as_ref(), reply.is_complete()), (status, body, true));
    for (name, value) in headers {
        assert_eq!(reply.headers()[*name], value);
    }
}

#[tokio::test]
async fn a_success_without_content_is_a_success() -> TestResult {
    for status in [200, 204] {
        let reply = call(status, &[], "").await??;
        assert_kept(Some(&reply), status, &[], "");
        let error = reply.json::<serde_json::Value>().err().ok_or("nothing was read as JSON")?;
        assert_eq!(
            error.to_string(),
            format!(
                "push_reset got a reply that cannot be read: {} (no content): it is not JSON, at line 1 column 0; the service may have acted on it",
                reply.status()
            )
        );
    }
    Ok(())
}

#[tokio::test]
async fn a_success_with_error_true_is_a_refusal_that_keeps_its_message() -> TestResult {
    let body = r#"{"error":true,"message":"bad uid"}"#;
    let error = failed(call(200, &[("content-type", "application/json")], body).await?)?;
    assert!(error.is_refused() && matches!(error, Error::Refused { .. }));
    assert_eq!(error.message().as_deref(), Some("bad uid"));
    assert_eq!(error.to_string(), "push_reset was refused: 200 OK (application/json, 34 bytes) with \"error\": true");
    assert_kept(error.reply(), 200, &[("content-type", "application/json")], body);
    Ok(())
}

#[tokio::test]
async fn error_true_is_found_whatever_the_rest_of_the_body_is() -> TestResult {
    let bodies: [&'static [u8]; 9] = [
        br#"{"error":true,"message":"cut \ud83d"}"#,
        b"{\"error\":true,\"message\":\"caf\xe9\"}",
        b"\xef\xbb\xbf{\"error\":true,\"message\":\"marked\"}",
        b" \n{\"message\":{},\"error\": true }",
        br#"{"error":true,"amount":1e999}"#,
        br#"{"error":true,"error":false}"#,
        br#"{"error":true} and more"#,
        br#"{"message":"caf","error":true,"#,
        b"{\"\xff\":1,\"error\":true}",
    ];
    for body in bodies {
        let service = MockServer::start(move |_| async move { axum::http::Response::new(body.into()) }).await?;
        let error = failed(builder(&service.url).build()?.push_reset("demo-business").await)?;
        assert!(error.is_refused(), "{error:?}");
        assert_eq!(error.reply().map(|reply| reply.bytes().as_ref()), Some(body));
    }
    let latin = MockServer::start(move |_| async move { axum::http::Response::new(bodies[1].into()) }).await?;
    let error = failed(builder(&latin.url).build()?.push_reset("demo-business").await)?;
    assert_eq!(error.message().as_deref(), Some("caf\u{fffd}"));
    Ok(())
}

#[tokio::test]
async fn a_success_with_any_other_body_is_a_success_and_keeps_the_body() -> TestResult {
    for body in [
        r#"{"error":false,"message":"queued"}"#,
        r#"{"error":null}"#,
        r#"{"error":"true"}"#,
        r#"{"error":1}"#,
        r#"{"data":{"error":true}}"#,
        r#"[{"error":true}]"#,
        r#"{"message":5}"#,
        "true",
        "plain words",
    ] {
        assert_kept(Some(&call(200, &[], body).await??), 200, &[], body);
    }
    let reply = call(200, &[], r#"{"error":false,"message":"queued"}"#).await??;
    assert_eq!((reply.message().as_deref(), reply.operation().id), (Some("queued"), "push_reset"));
    assert_eq!(reply.json::<serde_json::Value>()?["message"], "queued");
    Ok(())
}

#[tokio::test]
async fn a_400_is_refused_and_a_401_unauthorized_with_or_without_a_body() -> TestResult {
    let json = r#"{"error":true,"message":"no such uid"}"#;
    for body in ["", PAGE, json] {
        let refused = failed(call(400, HTML, body).await?)?;
        assert!(refused.is_refused() && !refused.is_unauthorized(), "{refused:?}");
        assert_kept(refused.reply(), 400, HTML, body);
        let unauthorized = failed(call(401, HTML, body).await?)?;
        assert!(unauthorized.is_unauthorized() && !unauthorized.is_refused(), "{unauthorized:?}");
        assert_kept(unauthorized.reply(), 401, HTML, body);
        assert_eq!(unauthorized.message().as_deref(), (body == json).then_some("no such uid"));
    }
    let empty = failed(call(401, &[], "").await?)?;
    assert_eq!(
        empty.to_string(),
        "push_reset was not authorized: 401 Unauthorized (no content); check the apikey, appid and header key"
    );
    Ok(())
}

#[tokio::test]
async fn any_other_status_is_reported_and_kept() -> TestResult {
    let limited = failed(call(429, &[("retry-after", "7")], "").await?)?;
    assert!(limited.is_rate_limited() && !limited.is_server_error());
    assert_kept(limited.reply(), 429, &[("retry-after", "7")], "");

    for status in [500, 502, 504] {
        let error = failed(call(status, HTML, PAGE).await?)?;
        assert!(error.is_server_error() && matches!(error, Error::UnexpectedStatus { .. }), "{error:?}");
        assert_kept(error.reply(), status, HTML, PAGE);
    }
    let error = failed(call(504, HTML, PAGE).await?)?;
    assert_eq!(
        error.to_string(),
        "push_reset got a status that the interface does not document: 504 Gateway Timeout (text/html, 42 bytes); \
         the service may have acted on it"
    );
    for status in [302, 307, 403, 404, 409, 418] {
        let error = failed(call(status, &[("location", "http://127.0.0.1:1/")], "").await?)?;
        assert_eq!(error.status().map(|status| status.as_u16()), Some(status));
    }
    Ok(())
}

#[tokio::test]
async fn a_success_over_the_limit_is_an_error_that_keeps_what_was_read() -> TestResult {
    let service = MockServer::answering(200, &[], "0123456789").await?;
    let connector = |limit| builder(&service.url).reply_limit(limit).build();
    assert_eq!(connector(10)?.push_reset("u").await?.text(), "0123456789");
    let error = failed(connector(9)?.push_reset("u").await)?;
    assert!(matches!(error, Error::ReplyTooLarge { limit: 9, .. }), "{error:?}");
    assert!(error.to_string().starts_with("push_reset got a reply over the limit of 9 bytes: 200 OK"), "{error}");
    let reply = error.reply().ok_or("the reply is lost")?;
    assert_eq!((reply.text().as_ref(), reply.is_complete()), ("012345678", false));
    Ok(())
}

#[tokio::test]
async fn a_refusal_over_the_limit_stays_a_refusal() -> TestResult {
    let service = MockServer::answering(400, &[], "0123456789").await?;
    let error = failed(builder(&service.url).reply_limit(3).build()?.push_reset("u").await)?;
    assert!(error.is_refused());
    let reply = error.reply().ok_or("the reply is lost")?;
    assert_eq!((reply.text().as_ref(), reply.is_complete()), ("012", false));
    Ok(())
}

#[tokio::test]
async fn a_connection_is_reused_after_an_undocumented_body() -> TestResult {
    let body: &'static str = "x".repeat(64 * 1024).leak();
    for status in [200, 400, 401] {
        let service = MockServer::answering(status, &[], body).await?;
        let connector = builder(&service.url).build()?;
        for _ in 0..20 {
            let length = match connector.push_reset("u").await {
                Ok(reply) => reply.bytes().len(),
                Err(error) => error.reply().map_or(0, |reply| reply.bytes().len()),
            };
            assert_eq!(length, body.len());
        }
        let connections: BTreeSet<_> = service.seen().iter().map(|seen| seen.peer).collect();
        assert_eq!(connections.len(), 1, "for {status}");
    }
    Ok(())
}

#[tokio::test]
async fn an_error_is_small_and_can_be_sent_between_threads() -> TestResult {
    fn assert_sendable<T: std::error::Error + Send + Sync + 'static>() {}
    assert_sendable::<Error>();
    assert!(size_of::<Error>() <= 64, "{} bytes", size_of::<Error>());
    Ok(())
}
