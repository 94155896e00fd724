//! Each request carries the credentials that its operation requires, and no others.

mod support;

use std::collections::BTreeSet;

use business_data_connector::OPERATIONS;
use serde_json::Value;
use support::{APIKEY, APPID, HEADER_KEY, MockServer, TestResult, builder, samples};

#[tokio::test]
async fn the_header_key_is_sent_with_exactly_five_operations() -> TestResult {
    let service = MockServer::accepting().await?;
    let connector = builder(&service.url).build()?;
    for sample in samples()? {
        sample.call(&connector).await?;
    }
    let seen = service.seen();
    assert_eq!(seen.len(), 18);
    let with_key: BTreeSet<_> = seen
        .iter()
        .filter(|request| request.headers.contains_key("x-api-key"))
        .map(|request| request.path.as_str())
        .collect();
    // From the specification, section 4.
    let specified = [
        "/api/push/business",
        "/api/push/business/update",
        "/api/push/settlement",
        "/api/push/settlement-file",
        "/api/pull/storage-upload-url",
    ];
    assert_eq!(with_key, BTreeSet::from(specified));
    for request in seen.iter().filter(|request| with_key.contains(request.path.as_str())) {
        assert_eq!(request.headers["x-api-key"], HEADER_KEY);
    }
    Ok(())
}

#[tokio::test]
async fn every_body_carries_the_credentials_and_is_otherwise_unchanged() -> TestResult {
    let service = MockServer::accepting().await?;
    let connector = builder(&service.url).build()?;
    for sample in samples()? {
        sample.call(&connector).await?;
        let seen = service.seen().last().map(support::Seen::text).unwrap_or_default();
        let mut expected = sample.body.clone();
        expected["apikey"] = APIKEY.into();
        expected["appid"] = APPID.into();
        assert_eq!(serde_json::from_str::<Value>(&seen)?, expected, "{}", sample.operation.id);
    }
    Ok(())
}

#[tokio::test]
async fn credentials_that_need_escaping_arrive_unchanged() -> TestResult {
    let service = MockServer::accepting().await?;
    let strange = "quote \" backslash \\ newline \n ü \u{1}";
    let connector = business_data_connector::Connector::builder().base_url(&service.url).credentials(strange, strange);
    connector.build()?.verify_apikey().await?;
    let body: Value = serde_json::from_slice(&service.seen()[0].body)?;
    assert_eq!(body, serde_json::json!({ "apikey": strange, "appid": strange }));
    Ok(())
}

#[tokio::test]
async fn an_operation_that_requires_a_header_key_fails_before_sending_without_one() -> TestResult {
    let service = MockServer::accepting().await?;
    let connector =
        business_data_connector::Connector::builder().base_url(&service.url).credentials(APIKEY, APPID).build()?;
    let keyed = OPERATIONS.iter().filter(|operation| operation.header_key.is_some()).count();
    let mut rejected = 0;
    for sample in samples()?.iter().filter(|sample| sample.operation.header_key.is_some()) {
        let error = sample.call(&connector).await.err().ok_or("it was sent")?;
        assert!(error.is_invalid());
        let expected = format!(
            "nothing was sent: {} requires the header X-API-Key, but no header key is set; ",
            sample.operation.id
        );
        assert!(error.to_string().starts_with(&expected), "{error}");
        rejected += 1;
    }
    assert_eq!((keyed, rejected, service.seen().len()), (5, 5, 0));
    Ok(())
}
