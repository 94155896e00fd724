//! How records and businesses are stored.

mod support;

use axum::http::StatusCode;
use business_data_connector::{
    DOCUMENT,
    types::{BusinessData, ExpenseRecord, IncomeRecord, ManyRecords, Settlement, SettlementEntry},
};
use business_data_connector_sandbox::{DEMO_BUSINESS, Sandbox};
use support::{TestResult, builder, raw, receiver, refusals};

#[tokio::test]
async fn ten_thousand_records_are_accepted_and_a_body_over_the_limit_is_refused() -> TestResult {
    let sandbox = Sandbox::start().await?;
    let connector = builder(&sandbox).build()?;
    let record = |number: u32| IncomeRecord::new().id(number.to_string()).name("x".repeat(200)).amount(5);
    let many = ManyRecords::new().income((0..10_000).map(record).collect::<Vec<_>>());
    connector.push_many(DEMO_BUSINESS, many).await?;
    assert_eq!(sandbox.records(DEMO_BUSINESS)?.len(), 10_000);
    let endless = IncomeRecord::new().notes("x".repeat(17 * 1024 * 1024));
    let error = connector.push_income(DEMO_BUSINESS, endless).await.err().ok_or("it was accepted")?;
    assert!(error.is_refused() || error.is_outcome_unknown(), "{error:?}");
    assert!(refusals(&sandbox)[0].contains("which the option --body-limit changes, got "), "{:?}", refusals(&sandbox));
    Ok(())
}

#[tokio::test]
async fn records_keep_every_digit_and_a_reset_removes_those_of_one_business() -> TestResult {
    let sandbox = Sandbox::start().await?;
    let connector = builder(&sandbox).build()?;
    let (webhook, mut callbacks) = receiver().await?;
    connector.push_business(BusinessData::new().email("a@b.example")).webhook(&webhook).await?;
    let other = callbacks.recv().await.ok_or("no callback")?["response"]["uid"].as_str().map(str::to_owned);
    let other = other.ok_or("no uid")?;
    let exact: business_data_connector::Decimal = "9007199254740993.10".parse()?;
    let many = ManyRecords::new().income([IncomeRecord::new().amount(exact)]).expenses([ExpenseRecord::new().id("E")]);
    for uid in [DEMO_BUSINESS, &other] {
        connector.push_many(uid, many.clone()).await?;
    }
    let stored: Vec<_> =
        sandbox.records(DEMO_BUSINESS)?.iter().map(|r| format!("{} {}", r.record_type(), r.as_str())).collect();
    assert_eq!(stored, [r#"ExpenseRecord {"id":"E"}"#, r#"IncomeRecord {"amount":9007199254740993.10}"#]);
    connector.push_reset(DEMO_BUSINESS).await?;
    assert_eq!((sandbox.records(DEMO_BUSINESS)?.len(), sandbox.records(&other)?.len()), (0, 2));
    Ok(())
}

#[tokio::test]
async fn a_record_with_the_same_id_replaces_the_first() -> TestResult {
    let sandbox = Sandbox::start().await?;
    let connector = builder(&sandbox).build()?;
    for (id, amount) in [("A", 1), ("B", 2), ("A", 3)] {
        connector.push_income(DEMO_BUSINESS, IncomeRecord::new().id(id).amount(amount)).await?;
        connector.push_expense(DEMO_BUSINESS, ExpenseRecord::new().id(id).amount(amount)).await?;
    }
    // Without an id each is one of its own; a settlement has its id inside.
    connector.push_income(DEMO_BUSINESS, IncomeRecord::new()).await?;
    connector.push_income(DEMO_BUSINESS, IncomeRecord::new()).await?;
    let entry = |amount| SettlementEntry::new().settlement(Settlement::new().id("S").amount(amount));
    connector.push_settlement(DEMO_BUSINESS, [entry(1), entry(2)]).await?;
    let stored = sandbox.records(DEMO_BUSINESS)?;
    let stored: Vec<_> = stored.iter().map(|record| format!("{} {}", record.record_type(), record.as_str())).collect();
    assert_eq!(
        stored,
        [
            r#"IncomeRecord {"amount":3,"id":"A"}"#,
            r#"ExpenseRecord {"amount":3,"id":"A"}"#,
            r#"IncomeRecord {"amount":2,"id":"B"}"#,
            r#"ExpenseRecord {"amount":2,"id":"B"}"#,
            "IncomeRecord {}",
            "IncomeRecord {}",
            r#"SettlementEntry {"settlement":{"amount":2,"id":"S"}}"#,
        ]
    );
    Ok(())
}

#[tokio::test]
async fn a_second_business_with_the_same_email_address_is_the_first() -> TestResult {
    let sandbox = Sandbox::start().await?;
    let connector = builder(&sandbox).build()?;
    let (webhook, mut callbacks) = receiver().await?;
    let mut uids = Vec::new();
    for email in ["a@b.example", "c@d.example", "a@b.example"] {
        connector.push_business(BusinessData::new().email(email)).webhook(&webhook).await?;
        uids.push(callbacks.recv().await.ok_or("no callback")?["response"]["uid"].clone());
    }
    assert!(uids[0] == uids[2] && uids[0] != uids[1], "{uids:?}");
    Ok(())
}

#[tokio::test]
async fn any_text_that_json_permits_is_stored_as_it_was_sent() -> TestResult {
    let sandbox = Sandbox::start().await?;
    let connector = builder(&sandbox).build()?;
    let strange = "\u{0} \u{7f} \u{2028} \u{feff} 🦁 e\u{301} \\ \" '; DROP TABLE records; --";
    connector.push_income(DEMO_BUSINESS, IncomeRecord::new().id(strange).notes(strange)).await?;
    connector.push_income(DEMO_BUSINESS, IncomeRecord::new().id(strange).name("again")).await?;
    let stored = sandbox.records(DEMO_BUSINESS)?;
    assert_eq!(stored.len(), 1);
    assert_eq!((stored[0].id(), stored[0].json::<IncomeRecord>()?.name.as_deref()), (Some(strange), Some("again")));
    Ok(())
}

#[tokio::test]
async fn an_operation_that_is_added_to_the_document_is_served() -> TestResult {
    let reset = "  /api/push/reset:";
    let added = r##"  /api/push/note:
    post:
      operationId: push_note
      tags: [push]
      summary: Push a note
      description: Records a note, only in this test.
      x-effect: write
      x-asynchronous: false
      x-callback-response:
        $ref: '#/components/schemas/OutcomeResponse'
      x-evidence: assumed
      security: []
      requestBody:
        required: true
        content:
          application/json:
            schema:
              $ref: '#/components/schemas/PushNoteRequest'
      responses:
        '200':
          description: Success.
      callbacks: *callbacks
"##;
    let schema = "    PushIncomeRequest:";
    let start = DOCUMENT.find(schema).ok_or("no schema")?;
    let end = DOCUMENT[start + 1..].find("\n    Push").ok_or("no next schema")? + start + 2;
    let added_schema = DOCUMENT[start..end].replace("PushIncomeRequest", "PushNoteRequest");
    let document = format!("{}{added_schema}{}", &DOCUMENT[..start], &DOCUMENT[start..]);
    let document = document.replacen(reset, &format!("{added}{reset}"), 1);
    let sandbox = Sandbox::builder().document(document).start().await?;
    let url = format!("{}/api/push/note", sandbox.base_url());
    let body = r#"{"apikey":"demo-apikey","appid":"demo-appid","uid":"demo-business","data":{"id":"N"}}"#;
    assert_eq!(raw("POST", &url, "application/json", body).await?.0, StatusCode::OK);
    assert_eq!(sandbox.records(DEMO_BUSINESS)?.len(), 1);
    Ok(())
}
