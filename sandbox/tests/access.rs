//! What a page of somebody else can send is refused on every route, and nothing that is shown can be taken away.

mod support;

use axum::http::{HeaderMap, Request, StatusCode};
use business_data_connector_sandbox::{DEMO_BUSINESS, Sandbox};
use http_body_util::{BodyExt, Full};
use hyper_util::{client::legacy::Client, rt::TokioExecutor};
use serde_json::{Value, json};
use support::TestResult;

type Headers<'a> = &'a [(&'a str, &'a str)];

/// A request to a sandbox, with headers that a browser would send.
async fn ask(
    sandbox: &Sandbox,
    line: &str,
    headers: Headers<'_>,
    body: &str,
) -> TestResult<(StatusCode, HeaderMap, String)> {
    let (method, path) = line.split_once(' ').ok_or("no path")?;
    let mut request = Request::builder().method(method).uri(format!("{}{path}", sandbox.base_url()));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(Full::<axum::body::Bytes>::from(body.to_owned()))?;
    let (head, body) = Client::builder(TokioExecutor::new()).build_http().request(request).await?.into_parts();
    Ok((head.status, head.headers, String::from_utf8(body.collect().await?.to_bytes().to_vec())?))
}

const JSON: (&str, &str) = ("content-type", "application/json");

fn push(id: &str) -> String {
    json!({ "apikey": "demo-apikey", "appid": "demo-appid", "uid": DEMO_BUSINESS, "data": { "id": id } }).to_string()
}

const ROUTES: [&str; 17] = [
    "GET /_sandbox/",
    "GET /_sandbox/reference",
    "GET /_sandbox/openapi.yaml",
    "GET /_sandbox/connector.json",
    "GET /_sandbox/requests",
    "GET /_sandbox/requests/1",
    "GET /_sandbox/businesses",
    "GET /_sandbox/businesses/demo-business/records",
    "GET /_sandbox/callbacks",
    "GET /_sandbox/faults",
    "GET /_sandbox/faults/choices",
    "DELETE /_sandbox/faults",
    "DELETE /_sandbox/faults/1",
    "POST /_sandbox/reset",
    "POST /api/push/income",
    "PUT /_sandbox/uploads/demo-business/upload-1",
    "GET /nothing",
];

#[tokio::test]
async fn a_foreign_host_or_origin_is_refused_on_every_route_and_the_reason_is_shown() -> TestResult {
    let sandbox = Sandbox::start().await?;
    let own = sandbox.base_url().to_owned();
    let stored = ask(&sandbox, "POST /api/push/income", &[JSON, ("origin", &own)], &push("own")).await?;
    assert_eq!(stored.0, StatusCode::OK);
    for line in ROUTES {
        for (headers, rule) in [
            ([JSON, ("host", "evil.example")], "Host"),
            ([JSON, ("host", "evil.example:4010")], "Host"),
            ([JSON, ("origin", "http://evil.example")], "Origin"),
            ([JSON, ("origin", "http://localhost:1")], "Origin"),
            ([JSON, ("origin", "null")], "Origin"),
        ] {
            let (status, replied, body) = ask(&sandbox, line, &headers, &push("foreign")).await?;
            assert_eq!(status, StatusCode::FORBIDDEN, "{line} {headers:?}: {body}");
            let last = sandbox.requests().pop().ok_or("it is not logged")?;
            assert_eq!(replied["x-sandbox-request"], last.number.to_string(), "{line}");
            assert_eq!((last.status, last.reasons[0].rule.as_str()), (Some(403), rule), "{line} {headers:?}");
        }
    }
    let records = sandbox.records(DEMO_BUSINESS)?;
    assert_eq!(records.iter().map(|record| record.id()).collect::<Vec<_>>(), [Some("own")]);
    // The owner sees them with the names that he may want to permit.
    let (status, _, shown) = ask(&sandbox, "GET /_sandbox/requests", &[], "").await?;
    assert!(status == StatusCode::OK && shown.contains("http://evil.example") && shown.contains("--allow-host"));
    Ok(())
}

#[tokio::test]
async fn the_inspection_api_is_changed_by_json_requests_only() -> TestResult {
    let sandbox = Sandbox::start().await?;
    ask(&sandbox, "POST /api/push/income", &[JSON], &push("A")).await?;
    for content_type in [None, Some("text/plain"), Some("application/x-www-form-urlencoded")] {
        let headers: Vec<_> = content_type.iter().map(|content_type| ("content-type", *content_type)).collect();
        for (line, body) in [("POST /_sandbox/reset", ""), ("POST /_sandbox/faults", r#"{"fault":"500"}"#)] {
            let (status, _, text) = ask(&sandbox, line, &headers, body).await?;
            assert_eq!(status, StatusCode::UNSUPPORTED_MEDIA_TYPE, "{line} {content_type:?}");
            assert!(text.contains("application/json"), "{text}");
        }
    }
    assert_eq!(sandbox.records(DEMO_BUSINESS)?.len(), 1);
    assert_eq!(ask(&sandbox, "POST /_sandbox/reset", &[JSON], "").await?.0, StatusCode::NO_CONTENT);
    assert!(sandbox.records(DEMO_BUSINESS)?.is_empty());
    Ok(())
}

#[tokio::test]
async fn pages_of_a_permitted_origin_may_send_requests_and_read_the_replies() -> TestResult {
    let origin = ("origin", "http://localhost:3000");
    let preflight = [
        origin,
        ("access-control-request-method", "POST"),
        ("access-control-request-headers", "content-type,x-api-key"),
    ];
    let sandbox = Sandbox::builder().cors("http://localhost:3000")?.start().await?;
    for path in ["/api/push/income", "/_sandbox/faults"] {
        let (status, headers, _) = ask(&sandbox, &format!("OPTIONS {path}"), &preflight, "").await?;
        assert!(status.is_success(), "{path}: {status}");
        assert_eq!(headers["access-control-allow-origin"], "http://localhost:3000");
        assert!(headers["access-control-allow-headers"].to_str()?.contains("x-api-key"));
    }
    let (status, headers, _) = ask(&sandbox, "POST /api/push/income", &[JSON, origin], &push("A")).await?;
    assert_eq!((status, &headers["access-control-allow-origin"]), (StatusCode::OK, &origin.1.parse()?));
    let other = [JSON, ("origin", "http://localhost:3001")];
    assert_eq!(ask(&sandbox, "POST /api/push/income", &other, &push("B")).await?.0, StatusCode::FORBIDDEN);
    // It is off by default.
    let closed = Sandbox::start().await?;
    let (status, headers, _) = ask(&closed, "OPTIONS /api/push/income", &preflight, "").await?;
    assert_eq!((status, headers.get("access-control-allow-origin")), (StatusCode::FORBIDDEN, None));
    Ok(())
}

#[tokio::test]
async fn no_reply_is_framed_sniffed_or_kept_and_a_page_runs_its_own_scripts_only() -> TestResult {
    let sandbox = Sandbox::start().await?;
    for line in ROUTES {
        let (_, headers, body) = ask(&sandbox, line, &[JSON], &push("A")).await?;
        let policy = headers["content-security-policy"].to_str()?;
        assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"), "{line}: {policy}");
        assert_eq!(headers["x-content-type-options"], "nosniff", "{line}");
        assert_eq!(headers["referrer-policy"], "no-referrer", "{line}");
        assert_eq!(headers["cache-control"], "no-store", "{line}");
        if body.contains("<script") {
            let nonce = policy.split_once("'nonce-").and_then(|(_, rest)| rest.split_once('\'')).ok_or("no nonce")?.0;
            assert!(nonce.len() == 32 && !policy.contains("script-src 'unsafe-inline'"), "{policy}");
            let marked = body.matches(&format!("<script nonce=\"{nonce}\">")).count();
            assert_eq!(marked, body.matches("<script").count(), "{line}");
        }
    }
    Ok(())
}

#[tokio::test]
async fn the_reference_page_describes_the_document_that_is_served_and_loads_nothing_from_elsewhere() -> TestResult {
    let sandbox = Sandbox::start().await?;
    let (status, headers, page) = ask(&sandbox, "GET /_sandbox/reference", &[], "").await?;
    assert!(status == StatusCode::OK && headers["content-type"].to_str()?.starts_with("text/html"));
    for outside in ["http://", "https://", "src=", "@import", "innerHTML"] {
        assert!(!page.contains(outside), "{outside}");
    }
    let (status, _, document) = ask(&sandbox, "GET /_sandbox/connector.json", &[], "").await?;
    let document: Value = serde_json::from_str(&document)?;
    assert_eq!(status, StatusCode::OK);
    assert_eq!(document["paths"]["/api/push/income"]["post"]["operationId"], "push_income");
    Ok(())
}

#[tokio::test]
async fn an_upload_address_begins_with_the_host_that_was_asked_or_the_public_url() -> TestResult {
    let body = json!({ "apikey": "demo-apikey", "appid": "demo-appid", "uid": DEMO_BUSINESS }).to_string();
    let issued = async |sandbox: &Sandbox, host: &str| {
        let headers = [JSON, ("host", host), ("x-api-key", "demo-header-key")];
        let (status, _, reply) = ask(sandbox, "POST /api/pull/storage-upload-url", &headers, &body).await?;
        let reply: Value = serde_json::from_str(&reply).map_err(|error| format!("{status} {reply}: {error}"))?;
        TestResult::Ok(reply["url"].as_str().unwrap_or_default().to_owned())
    };
    let observed = || Sandbox::builder().replies(business_data_connector_sandbox::Replies::Observed);
    let sandbox = observed().allow_host("sandbox.internal")?.start().await?;
    let url = issued(&sandbox, "sandbox.internal:9999").await?;
    assert!(url.starts_with("http://sandbox.internal:9999/_sandbox/uploads/"), "{url}");
    let public = observed().public_url("https://sandbox.example")?.start().await?;
    let url = issued(&public, "sandbox.example").await?;
    assert!(url.starts_with("https://sandbox.example/_sandbox/uploads/"), "{url}");
    Ok(())
}

#[tokio::test]
async fn a_body_that_was_encoded_twice_is_not_shown() -> TestResult {
    let sandbox = Sandbox::builder().credentials("c4n4ry-key", "c4n4ry-app").start().await?;
    let twice = Value::String(json!({ "apikey": "c4n4ry-key", "appid": "c4n4ry-app" }).to_string()).to_string();
    let thrice = Value::String(twice.clone()).to_string();
    let inner = json!({ "uid": DEMO_BUSINESS, "data": twice, "signature": "c4n4ry" }).to_string();
    for body in [&twice, &thrice, &format!("[{twice}]"), &inner] {
        assert_eq!(ask(&sandbox, "POST /api/push/income", &[JSON], body).await?.0, StatusCode::BAD_REQUEST);
    }
    let (_, _, shown) = ask(&sandbox, "GET /_sandbox/requests", &[], "").await?;
    assert!(shown.contains("[hidden]") && !shown.contains("c4n4ry"), "{shown}");
    assert!(!format!("{:?}", sandbox.requests()).contains("c4n4ry"));
    Ok(())
}
