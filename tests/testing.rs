//! The feature `testing`: canned answers in place of a service.
#![cfg(feature = "testing")]

mod support;

use std::time::Duration;

use business_data_connector::{
    Decimal, Error, Retry,
    testing::{Answer, TestService},
    types::{IncomeRecord, PushIncomeRequest, PushResetRequest},
};
use support::{CANARY, TestResult};

async fn error(answer: Answer) -> Result<Error, Box<dyn std::error::Error>> {
    let connector = TestService::answering(answer).connector()?;
    Ok(connector.push_reset("u").await.err().ok_or("it succeeded")?)
}

#[tokio::test]
async fn every_kind_of_answer_arrives_as_the_error_that_a_service_would_cause() -> TestResult {
    let refused = error(Answer::refused("no such uid")).await?;
    assert!(refused.is_refused() && refused.message().as_deref() == Some("no such uid"));
    assert!(error(Answer::unauthorized()).await?.is_unauthorized());
    let limited = error(Answer::status(429).header("retry-after", "7")).await?;
    assert_eq!(limited.retry(), Retry::After(Duration::from_secs(7)));
    assert_eq!(error(Answer::status(504).body("gateway")).await?.retry(), Retry::CheckFirst);
    assert_eq!(error(Answer::never_sent()).await?.retry(), Retry::Now);
    let unknown = error(Answer::outcome_unknown()).await?;
    assert!(unknown.is_outcome_unknown() && !unknown.is_timeout());
    let late = error(Answer::timed_out()).await?;
    assert!(late.is_outcome_unknown() && late.is_timeout());
    assert!(error(Answer::ok().json(r#"{"error":true}"#)).await?.is_refused());
    assert!(matches!(error(Answer::ok().json("{")).await?, Error::UnreadableReply { .. }));
    assert!(error(Answer::status(7)).await?.is_server_error());
    Ok(())
}

#[tokio::test]
async fn calls_are_recorded_without_credentials_and_read_back() -> TestResult {
    let service = TestService::answering(Answer::ok().json(r#"{"error":false,"message":"queued"}"#));
    let connector = service.builder().credentials(CANARY, CANARY).header_key(CANARY).build()?;
    let income = IncomeRecord::new().id("INV-1").amount(Decimal::try_from("100.10")?);
    let reply = connector.push_income("u", income.clone()).await?;
    assert_eq!(reply.message().as_deref(), Some("queued"));
    let calls = service.calls();
    assert_eq!((calls.len(), calls[0].operation().id), (1, "push_income"));
    assert_eq!(calls[0].body(), r#"{"data":{"amount":100.10,"id":"INV-1"},"uid":"u"}"#);
    assert_eq!(calls[0].request::<PushIncomeRequest>()?.data, income);
    assert!(calls[0].request::<PushResetRequest>().is_err());
    assert!(!format!("{service:?} {calls:?} {connector:?}").contains(CANARY));
    Ok(())
}

#[tokio::test]
async fn retries_are_recorded_one_by_one_and_take_no_time() -> TestResult {
    let service = TestService::answering(Answer::never_sent());
    let connector = service.connector()?;
    assert!(connector.push_reset("u").await.is_err_and(|error| error.is_never_sent()));
    assert_eq!(service.calls().len(), 3);
    Ok(())
}
