//! Secrets appear in the request and nowhere else.

mod support;

use std::panic::AssertUnwindSafe;

use business_data_connector::RetryPolicy;
use support::{CANARY, Log, MockServer, TestResult, builder, samples};
use tracing_subscriber::filter::LevelFilter;

#[tokio::test]
async fn no_secret_appears_in_any_output_or_log() -> TestResult {
    let (log, _guard) = Log::collect(LevelFilter::TRACE);

    let body = r#"{"error": true, "message": "c4n4ry"}"#;
    let mut printed = String::new();
    for (status, headers) in
        [(200, &[("x-c", "c4n4ry")][..]), (401, &[("location", "http://h/?c4n4ry")][..]), (504, &[][..])]
    {
        let service = MockServer::answering(status, headers, body).await?;
        let builder = builder(&service.url).reply_limit(if status == 504 { 3 } else { 100 });
        printed += &format!("{builder:?}");
        let connector = builder.build()?;
        printed += &format!("{connector:?}");
        for sample in samples()? {
            let error = sample.call(&connector).await.err().ok_or("it succeeded")?;
            printed += &format!("{error} {error:?} {:?}", error.reply());
        }
    }
    let service = MockServer::answering(200, &[], r#""c4n4ry""#).await?;
    let unread =
        builder(&service.url).build()?.verify_apikey().await?.json::<u64>().err().ok_or("it is not a number")?;
    printed += &format!("{unread} {unread:?} {:?}", std::error::Error::source(&unread));
    let secret_address = "http://c4n4ry:c4n4ry@127.0.0.1:1/?c4n4ry";
    printed += &format!("{:?}", builder(secret_address));
    printed += &format!("{:?}", builder(secret_address).build().err());
    printed += &format!("{:?}", builder("c4n4ry\u{0}").build().err());
    printed += &format!("{:?}", builder("http://h").header_key("c4n4ry\n").build().err());
    printed += &format!("{:?}", builder("https://user:c4n4/ry@host/p"));
    printed += &format!("{:?}", builder("https://user:c4n4ry#1@host"));
    printed += &format!("{:?}", builder("http://h").user_agent("c4n4ry\n").build().err().map(|e| e.to_string()));
    let nowhere = builder("http://127.0.0.1:1").retry_policy(RetryPolicy::never()).build()?;
    let webhook = "https://h/p?token=c4n4ry";
    let call = nowhere.pull_income("uid", webhook).signature("c4n4ry");
    printed += &format!("{call:?}");
    let result = call.await;
    printed += &format!("{:?}", result.as_ref().err().map(ToString::to_string));
    let panic = std::panic::catch_unwind(AssertUnwindSafe(|| result.unwrap())).err().ok_or("it did not panic")?;
    printed += panic.downcast_ref::<String>().ok_or("the panic has no text")?;
    let file = business_data_connector::types::SettlementFile::new().url("https://u:c4n4ry@h/p?X-Signature=c4n4ry");
    printed += &format!("{file:?} {:?}", nowhere.push_settlement_file("uid", file.clone()));

    let logged = log.text();
    for marker in ["operation", "attempt", "status", "push_income"] {
        assert!(logged.contains(marker), "the log does not contain {marker}: {logged}");
    }
    for (location, text) in [("printed", &printed), ("logged", &logged)] {
        // The first four characters, since one URL above has a slash after them.
        if let Some(line) = text.lines().find(|line| line.contains(&CANARY[..4])) {
            return Err(format!("{location}: {line}").into());
        }
    }
    // The check would also pass if nothing had been printed.
    assert!(printed.contains("push_income") && printed.contains("[hidden]"));
    Ok(())
}

#[tokio::test]
async fn debug_of_a_request_shows_its_records_and_hides_what_grants_access() -> TestResult {
    let samples = samples()?;
    let income = samples.iter().find(|sample| sample.operation.id == "push_income").ok_or("no sample")?;
    assert!(income.debug.contains("INV-1001") && income.debug.contains("19.99"), "{}", income.debug);
    assert!(income.debug.contains("signature: Some([hidden])"), "{}", income.debug);
    Ok(())
}

#[test]
fn every_field_that_may_grant_access_is_marked_in_the_document() -> TestResult {
    let document = business_data_connector_document::Document::parse(business_data_connector::DOCUMENT)?;
    let mut marked = 0;
    for name in document.components() {
        let properties = document.as_value()["components"]["schemas"][name]["properties"].as_object();
        for (property, schema) in properties.into_iter().flatten() {
            let expected = match property.as_str() {
                "apikey" | "appid" | "signature" => "value",
                "webhook" | "url" => "query",
                _ => continue,
            };
            assert_eq!(schema["x-sensitive"], expected, "{name}.{property}");
            marked += 1;
        }
    }
    assert!(marked > 60, "{marked}");
    Ok(())
}
