//! What is sent, byte for byte, and what is tolerated when reading.

// Clippy allows this in tests, but not in the functions that tests share.
#![allow(clippy::unwrap_used)]

mod support;

use business_data_connector::{
    Decimal,
    types::{ExpenseRecord, IncomeRecord, ManyRecords, PushIncomeRequest, SaleRecord},
};
use serde_json::{Value, json};
use support::{MockServer, TestResult, builder, samples};

async fn body_of<R, F>(call: F) -> Result<String, Box<dyn std::error::Error>>
where
    R: business_data_connector::Request,
    F: FnOnce(&business_data_connector::Connector) -> business_data_connector::Call<R>,
{
    let service = MockServer::accepting().await?;
    let connector = builder(&service.url).build()?;
    call(&connector).await?;
    let seen = service.seen();
    Ok(seen[0].text())
}

#[tokio::test]
async fn an_amount_arrives_digit_for_digit_as_a_json_number() -> TestResult {
    for (written, sent) in [
        ("0.10", "0.10"),
        ("19.99", "19.99"),
        ("5", "5"),
        ("-5", "-5"),
        ("0", "0"),
        ("100.10", "100.10"),
        ("9007199254740993.01", "9007199254740993.01"),
        ("1e-7", "0.0000001"),
        ("1.25E+3", "1250"),
        ("12345678901234567890.12345678", "12345678901234567890.12345678"),
        ("0.1234567890123456789012345678", "0.1234567890123456789012345678"),
        ("79228162514264337593543950335", "79228162514264337593543950335"),
    ] {
        let amount: Decimal = written.parse()?;
        let body = body_of(|connector| connector.push_income("u", IncomeRecord::new().amount(amount))).await?;
        assert!(body.contains(&format!(r#""data":{{"amount":{sent}}}"#)), "{written} was sent as {body}");
    }
    let sum = rust_decimal::Decimal::new(1, 1) + rust_decimal::Decimal::new(2, 1);
    let body = body_of(|connector| connector.push_income("u", IncomeRecord::new().amount(sum).vat(5))).await?;
    assert!(body.contains(r#""data":{"amount":0.3,"vat":5}"#), "{body}");
    Ok(())
}

#[tokio::test]
async fn absent_empty_and_filled_lists_are_distinct_on_the_wire() -> TestResult {
    let expense = ExpenseRecord::new().id("EXP-1");
    let many = |many: ManyRecords| body_of(|connector| connector.push_many("u", many));
    let absent = many(ManyRecords::new().expenses([expense.clone()])).await?;
    assert!(absent.contains(r#""data":{"expenses":[{"id":"EXP-1"}]}"#), "{absent}");
    let empty = many(ManyRecords::new().income([]).expenses([expense])).await?;
    assert!(empty.contains(r#""data":{"expenses":[{"id":"EXP-1"}],"income":[]}"#), "{empty}");
    let settlement = body_of(|connector| connector.push_settlement("u", [])).await?;
    assert!(settlement.contains(r#""data":[]"#), "{settlement}");
    Ok(())
}

#[tokio::test]
async fn only_headers_that_the_interface_or_http_require_are_sent() -> TestResult {
    let service = MockServer::accepting().await?;
    let connector = builder(&service.url).user_agent("shop/1.0").build()?;
    for sample in samples()? {
        sample.call(&connector).await?;
        let seen = service.seen().last().cloned().ok_or("nothing was sent")?;
        let mut names: Vec<_> = seen.headers.keys().map(|name| name.as_str().to_owned()).collect();
        names.sort();
        // `accept: */*` means the same as no such header; reqwest always sends it.
        let mut expected = vec!["accept", "accept-encoding", "content-length", "content-type", "host", "user-agent"];
        expected.extend(sample.operation.header_key.map(|_| "x-api-key"));
        assert_eq!(names, expected, "{}", sample.operation.id);
        assert_eq!(seen.headers["accept"], "*/*");
        assert_eq!(seen.headers["accept-encoding"], "identity");
        assert_eq!(seen.headers["content-type"], "application/json");
        assert_eq!(seen.headers["user-agent"], "shop/1.0");
        assert_eq!(seen.headers["content-length"], seen.body.len().to_string());
        assert_eq!(seen.path, sample.operation.path);
    }
    Ok(())
}

#[tokio::test]
async fn the_default_user_agent_is_crate_and_version() -> TestResult {
    let service = MockServer::accepting().await?;
    builder(&service.url).build()?.verify_apikey().await?;
    let expected = concat!("business-data-connector/", env!("CARGO_PKG_VERSION"));
    assert_eq!(service.seen()[0].headers["user-agent"], expected);
    Ok(())
}

#[tokio::test]
async fn a_path_in_the_base_url_is_kept_and_slashes_are_joined() -> TestResult {
    let service = MockServer::accepting().await?;
    for (base, path) in [("", ""), ("/", ""), ("/gateway/v1", "/gateway/v1"), ("/gateway/", "/gateway"), ("//", "")] {
        builder(&format!("{}{base}", service.url)).build()?.verify_apikey().await?;
        let seen = service.seen().last().map(|seen| seen.path.clone());
        assert_eq!(seen, Some(format!("{path}/api/verify/apikey")));
    }
    Ok(())
}

#[test]
fn an_unknown_field_in_a_record_read_back_is_ignored() -> TestResult {
    let sale: SaleRecord = serde_json::from_str(
        r#"{"id":"S","loyalty":{"points":5},"payment":{"amount":5.50,"method":"card"},"items":[{"colour":"red"}]}"#,
    )?;
    assert_eq!(serde_json::to_string(&sale)?, r#"{"id":"S","items":[{}],"payment":{"amount":5.50}}"#);
    Ok(())
}

#[test]
fn every_request_read_back_tolerates_an_unknown_field() -> TestResult {
    struct Reader(Vec<String>);
    impl business_data_connector::RequestVisitor for Reader {
        fn visit<R: business_data_connector::Request>(&mut self) {
            let sample = samples().unwrap().into_iter().find(|sample| sample.operation.id == R::OPERATION.id).unwrap();
            let mut body = sample.body;
            body["x-later"] = json!({ "deep": [1] });
            if let Err(error) = serde_json::from_str::<R>(&body.to_string()) {
                self.0.push(format!("{}: {error}", R::OPERATION.id));
            }
        }
    }
    let mut reader = Reader(Vec::new());
    business_data_connector::visit_requests(&mut reader);
    assert_eq!(reader.0, Vec::<String>::new());
    Ok(())
}

#[test]
fn null_is_read_as_absent_and_never_sent_and_zero_is_kept() -> TestResult {
    let null: IncomeRecord = serde_json::from_str(r#"{"id":null,"amount":null,"vat":0}"#)?;
    assert_eq!(null, serde_json::from_str(r#"{"vat":0}"#)?);
    assert_eq!(serde_json::to_string(&null)?, r#"{"vat":0}"#);
    let lists: ManyRecords = serde_json::from_str(r#"{"income":null,"expenses":[]}"#)?;
    assert_eq!(serde_json::to_string(&lists)?, r#"{"expenses":[]}"#);
    Ok(())
}

#[test]
fn any_currency_code_and_date_text_is_read() -> TestResult {
    for currency in ["", "ZMK", "zar", "¤"] {
        let income: IncomeRecord = serde_json::from_value(json!({ "currency": currency, "date": "31/02/2026" }))?;
        assert_eq!((income.currency.as_deref(), income.date.as_deref()), (Some(currency), Some("31/02/2026")));
    }
    Ok(())
}

#[test]
fn a_stored_request_is_read_back_with_every_digit() -> TestResult {
    let request =
        PushIncomeRequest::new("u", IncomeRecord::new().amount(Decimal::try_from("100.10")?)).webhook("http://h/");
    let stored = serde_json::to_string(&request)?;
    assert!(stored.contains("100.10") && !stored.contains("apikey"), "{stored}");
    let read: PushIncomeRequest = serde_json::from_str(&stored)?;
    assert_eq!((read, serde_json::from_str::<Value>(&stored)?["uid"].as_str()), (request, Some("u")));
    Ok(())
}

#[tokio::test]
async fn calls_can_be_joined_spawned_and_sent_between_threads() -> TestResult {
    let server = MockServer::accepting().await?;
    let connector = builder(&server.url).build()?;
    let (income, verified) =
        tokio::join!(connector.push_income("u", IncomeRecord::new()), connector.verify_apikey().no_timeout());
    assert!(income.is_ok() && verified.is_ok());
    assert_eq!(tokio::spawn(connector.push_reset("u")).await??.status(), 200);
    let calls = futures_util::future::join_all((0..5).map(|number| connector.push_reset(number.to_string())));
    assert!(calls.await.iter().all(Result::is_ok));
    assert_eq!(server.seen().len(), 8);
    Ok(())
}
