//! Generic code that stores requests and sends them later.

mod support;

use business_data_connector::{
    Decimal, Error, RequestEnvelope, Stored,
    types::{IncomeRecord, PullIncomeRequest, PushIncomeRequest, PushResetRequest, VerifyApikeyRequest},
};
use support::{CANARY, MockServer, TestResult, builder, samples};

#[tokio::test]
async fn a_stored_request_of_every_operation_arrives_as_if_it_had_been_sent_at_once() -> TestResult {
    let server = MockServer::accepting().await?;
    let connector = builder(&server.url).build()?;
    for sample in samples()? {
        sample.call(&connector).await?;
        let stored: Stored = serde_json::from_str(&serde_json::to_string(&sample.stored)?)?;
        assert_eq!((&stored, stored.operation()), (&sample.stored, sample.operation.id));
        connector.send_stored(&stored).await?;
        let seen: Vec<_> =
            server.seen().iter().rev().take(2).map(|seen| (seen.path.clone(), seen.body.clone())).collect();
        assert_eq!(seen[0], seen[1]);
    }
    Ok(())
}

#[tokio::test]
async fn a_stored_request_keeps_every_digit() -> TestResult {
    let amount = Decimal::try_from("12345678901234567890.10")?;
    let stored = Stored::new(&PushIncomeRequest::new("u", IncomeRecord::new().amount(amount)))?;
    assert!(stored.request().contains("\"amount\":12345678901234567890.10"), "{stored:?}");
    let server = MockServer::accepting().await?;
    builder(&server.url).build()?.send_stored(&stored).await?;
    assert!(server.seen()[0].text().contains("12345678901234567890.10"));
    Ok(())
}

#[tokio::test]
async fn what_cannot_be_sent_is_named_and_nothing_is_sent() -> TestResult {
    let server = MockServer::accepting().await?;
    let connector = builder(&server.url).build()?;
    for (operation, request, expected) in [
        ("push-income", "{}", "nothing was sent: there is no operation \"push-income\"; perhaps \"push_income\""),
        ("nothing", "{}", "nothing was sent: there is no operation \"nothing\"; `OPERATIONS` lists them"),
        ("push_income", "{", "nothing was sent: the stored request is not a request of push_income: line 1 column 1"),
        (
            "push_income",
            r#"{"uid":"u","data":{"ammount":5}}"#,
            "nothing was sent: the stored request is not a request of push_income: \
             unknown key `ammount` at /data/ammount (line 1); did you mean `amount`?",
        ),
        (
            "push_income",
            r#"{"uid":"c4n4ry"}"#,
            "nothing was sent: the stored request is not a request of push_income: line 1 column 16",
        ),
    ] {
        let error = connector.send_stored(&Stored::from_parts(operation, request)).await.err().ok_or("it was sent")?;
        assert!(matches!(error, Error::Invalid { .. }));
        assert_eq!(error.to_string(), expected);
    }
    assert!(server.seen().is_empty());
    Ok(())
}

#[test]
fn what_grants_access_is_hidden_in_a_stored_request_and_an_envelope() -> TestResult {
    let mut request = PullIncomeRequest::new("u", format!("https://h/p?token={CANARY}"));
    assert!(request.set_signature(CANARY));
    let shown = format!("{:?} {:?}", Stored::new(&request)?, request.envelope());
    assert!(!shown.contains(CANARY) && shown.contains("https://h/p?[hidden]"), "{shown}");
    Ok(())
}

#[test]
fn generic_code_reads_and_sets_the_fields_beside_the_payload() {
    let mut income = PushIncomeRequest::new("u", IncomeRecord::new());
    assert_eq!((income.envelope().uid, income.envelope().webhook), (Some("u"), None));
    assert!(income.set_webhook("https://partner.example/1"));
    assert_eq!(income.webhook.as_deref(), Some("https://partner.example/1"));
    assert!(income.set_uid("v"));
    assert_eq!(income.envelope().uid, Some("v"));

    let mut reset = PushResetRequest::new("u");
    assert!(!reset.set_webhook("https://partner.example/1"));
    assert_eq!(reset.envelope().webhook, None);
    assert!(!VerifyApikeyRequest::new().set_uid("u"));
}
