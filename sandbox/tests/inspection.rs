//! The inspection API shows what the replies do not, and no secret.

mod support;

use axum::http::{Request, StatusCode};
use business_data_connector::{
    Connector,
    types::{BusinessData, IncomeRecord, SettlementFile},
};
use business_data_connector_sandbox::{DEMO_BUSINESS, Fault, Sandbox};
use http_body_util::Full;
use serde_json::{Value, json};
use support::{TestResult, raw, send};

struct Inspected {
    sandbox: Sandbox,
    connector: Connector,
}

impl Inspected {
    async fn start() -> TestResult<Self> {
        let sandbox =
            Sandbox::builder().credentials("c4n4ry-apikey", "c4n4ry-appid").header_key("c4n4ry-key").start().await?;
        let builder = Connector::builder().base_url(sandbox.base_url()).credentials("c4n4ry-apikey", "c4n4ry-appid");
        let connector = builder.header_key("c4n4ry-key").build()?;
        Ok(Self { sandbox, connector })
    }

    async fn ask(&self, method: &str, path: &str, body: &str) -> TestResult<(StatusCode, String)> {
        let url = format!("{}/_sandbox/{path}", self.sandbox.base_url());
        let (status, body) = raw(method, &url, "application/json", body).await?;
        Ok((status, String::from_utf8(body.to_vec())?))
    }

    async fn get(&self, path: &str) -> TestResult<Value> {
        let (status, body) = self.ask("GET", path, "").await?;
        assert_eq!(status, StatusCode::OK, "{path}: {body}");
        Ok(serde_json::from_str(&body)?)
    }
}

#[tokio::test]
async fn a_refusal_is_shown_with_its_reason_and_a_record_with_every_digit() -> TestResult {
    let inspected = Inspected::start().await?;
    let amount: business_data_connector::Decimal = "100.10".parse()?;
    inspected.connector.push_income(DEMO_BUSINESS, IncomeRecord::new().id("A").amount(amount)).await?;
    assert!(inspected.connector.push_income("nobody", IncomeRecord::new()).await.is_err());
    let requests = inspected.get("requests").await?;
    assert_eq!((&requests[0]["status"], &requests[1]["status"]), (&json!(200), &json!(400)));
    assert_eq!((&requests[1]["uid"], &requests[1]["reasons"][0]["pointer"]), (&json!("nobody"), &json!("/uid")));
    assert_eq!(inspected.get("requests?after=1").await?.as_array().map(Vec::len), Some(1));
    inspected.connector.push_business_update(DEMO_BUSINESS, BusinessData::new().region("ZA")).await?;
    let expected = json!([{ "uid": DEMO_BUSINESS, "data": { "region": "ZA" }, "records": 1 }]);
    assert_eq!(inspected.get("businesses").await?, expected);
    let (_, records) = inspected.ask("GET", &format!("businesses/{DEMO_BUSINESS}/records"), "").await?;
    assert_eq!(records, r#"[{"kind":"IncomeRecord","id":"A","data":{"amount":100.10,"id":"A"}}]"#);
    assert_eq!(inspected.ask("GET", "businesses/nobody/records", "").await?.0, StatusCode::NOT_FOUND);
    Ok(())
}

#[tokio::test]
async fn no_secret_is_shown() -> TestResult {
    let inspected = Inspected::start().await?;
    let connector = &inspected.connector;
    let webhook = "http://127.0.0.1:1/p?token=c4n4ry";
    connector.push_income(DEMO_BUSINESS, IncomeRecord::new()).webhook(webhook).signature("c4n4ry").await?;
    connector.pull_storage_upload_url(DEMO_BUSINESS).webhook("http://c4n4ry@127.0.0.1:1/").await?;
    connector.push_business(BusinessData::new()).webhook("http://127.0.0.1:1/").await?;
    // A secret in the wrong location is stored as it was sent, and not shown.
    let push = Request::post(format!("{}/api/push/income", inspected.sandbox.base_url()));
    let body = r#"{"apikey":"c4n4ry-apikey","appid":"c4n4ry-appid","uid":"demo-business","data":{"id":"K","apikey":"c4n4ry"}}"#;
    let push = push.header("content-type", "application/json").body(Full::from(body))?;
    assert_eq!(send(push).await?.0, StatusCode::OK);
    assert!(inspected.sandbox.records(DEMO_BUSINESS)?.iter().any(|record| record.as_str().contains("c4n4ry")));
    connector.pull_income(DEMO_BUSINESS, "http://127.0.0.1:1/").await?;
    let file = SettlementFile::new().url("https://u:c4n4ry@h/p?X-Signature=c4n4ry");
    assert!(connector.push_settlement_file(DEMO_BUSINESS, file).await.is_err());
    let wrong =
        Connector::builder().base_url(inspected.sandbox.base_url()).credentials("c4n4ry1", "c4n4ry2").build()?;
    assert!(wrong.verify_apikey().await.is_err());
    let mut shown = format!("{:?} {:?}", inspected.sandbox.requests(), inspected.sandbox.callbacks()?);
    let records = format!("businesses/{DEMO_BUSINESS}/records");
    for path in ["requests", "callbacks", "businesses", &records, "faults", "", "openapi.yaml"] {
        shown += &inspected.ask("GET", path, "").await?.1;
    }
    assert!(!shown.contains("c4n4ry"), "{shown}");
    assert!(!shown.contains("token="), "{shown}");
    let created = inspected.sandbox.callbacks()?.into_iter().find(|callback| callback.operation == "push_business");
    let created: Value = serde_json::from_str(created.ok_or("no callback")?.response.get())?;
    assert_eq!((&created["uid"], &created["token"]), (&json!("business-1"), &json!("[hidden]")));
    assert!(shown.contains("[hidden]") && shown.contains("127.0.0.1:1/p?[hidden]"));
    Ok(())
}

#[tokio::test]
async fn faults_are_added_listed_and_removed_and_invalid_ones_refused() -> TestResult {
    let inspected = Inspected::start().await?;
    for (rule, expected) in [
        (r#"{"fault":"418"}"#, "unknown fault `418`; expected one of latency=MS"),
        (r#"{"fault":"500","operation":"nothing"}"#, "`nothing` is not an operation of the document"),
        (r#"{"fault":"500","times":0}"#, "`times` is 0"),
        (r#"{"fault":"500","tmies":1}"#, "unknown field `tmies`"),
        ("{", "EOF while parsing"),
    ] {
        let (status, body) = inspected.ask("POST", "faults", rule).await?;
        assert!(status == StatusCode::BAD_REQUEST && body.contains(expected), "{expected}: {body}");
    }
    let rule = r#"{"fault":"504","operation":"verify_apikey","times":1}"#;
    assert_eq!(inspected.ask("POST", "faults", rule).await?.0, StatusCode::CREATED);
    assert_eq!(
        inspected.get("faults").await?,
        json!([{ "id": 1, "operation": "verify_apikey", "fault": "504", "times": 1 }])
    );
    assert!(inspected.connector.verify_apikey().await.is_err_and(|error| error.is_server_error()));
    inspected.connector.verify_apikey().await?;
    assert_eq!(inspected.ask("POST", "faults", r#"{"fault":"cut"}"#).await?.1, r#"{"id":2}"#);
    inspected.ask("POST", "faults", r#"{"fault":"503"}"#).await?;
    assert_eq!(inspected.ask("DELETE", "faults/2", "").await?.0, StatusCode::NO_CONTENT);
    assert_eq!(
        inspected.get("faults").await?,
        json!([{ "id": 3, "operation": null, "fault": "503=1", "times": null }])
    );
    for (id, status, expected) in [
        ("2", StatusCode::NOT_FOUND, "no fault rule has the id 2"),
        ("cut", StatusCode::BAD_REQUEST, "`cut` is not the id of a fault rule"),
    ] {
        let (got, body) = inspected.ask("DELETE", &format!("faults/{id}"), "").await?;
        assert!(got == status && body.contains(expected), "{got}: {body}");
    }
    assert_eq!(inspected.ask("DELETE", "faults", "").await?.0, StatusCode::NO_CONTENT);
    assert_eq!(inspected.get("faults").await?, json!([]));
    Ok(())
}

#[tokio::test]
async fn every_fault_and_operation_can_be_chosen() -> TestResult {
    let choices = Inspected::start().await?.get("faults/choices").await?;
    let faults = choices["faults"].as_array().ok_or("no faults")?.iter();
    let faults: Vec<_> =
        faults.filter_map(|choice| Some((choice["fault"].as_str()?, choice["effect"].as_str()?))).collect();
    assert_eq!(faults, Fault::SYNTAX);
    let operations = choices["operations"].as_array().ok_or("no operations")?;
    assert_eq!(operations.len(), business_data_connector::OPERATIONS.len());
    assert!(operations.contains(&json!({ "operation": "push_income", "direction": "push" })), "{operations:?}");
    Ok(())
}

#[tokio::test]
async fn a_reset_deletes_everything_but_the_demo_business() -> TestResult {
    let inspected = Inspected::start().await?;
    inspected.connector.push_income(DEMO_BUSINESS, IncomeRecord::new()).await?;
    assert_eq!(inspected.ask("POST", "reset", "").await?.0, StatusCode::NO_CONTENT);
    assert_eq!(inspected.get("requests").await?, json!([]));
    assert_eq!(inspected.get("businesses").await?, json!([{ "uid": DEMO_BUSINESS, "data": {}, "records": 0 }]));
    Ok(())
}

#[tokio::test]
async fn a_callback_after_the_year_9999_is_shown_and_a_misspelt_secret_is_not() -> TestResult {
    let inspected = Inspected::start().await?;
    let late = IncomeRecord::new().notes("sandbox:callback-late=9223372036854775807");
    inspected.connector.push_income(DEMO_BUSINESS, late).webhook("http://127.0.0.1:1/").await?;
    assert_eq!(inspected.sandbox.callbacks()?[0].next.as_deref(), Some("9999-12-31T23:59:59.999Z"));
    assert_eq!(inspected.get("callbacks").await?[0]["state"], "waiting");
    let url = format!("{}/api/push/income", inspected.sandbox.base_url());
    let request = Request::post(url).header("content-type", "application/json");
    let request = request.body(Full::from(r#"{"apiKey":"c4n4ry","data":{"signature":"c4n4ry"}}"#))?;
    send(request).await?;
    assert!(!inspected.get("requests").await?.to_string().contains("c4n4ry"));
    Ok(())
}

#[tokio::test]
async fn the_page_loads_nothing_from_elsewhere() -> TestResult {
    let inspected = Inspected::start().await?;
    let (status, page) = inspected.ask("GET", "", "").await?;
    assert!(status == StatusCode::OK && page.contains("<title>Sandbox</title>"));
    for outside in ["http://", "https://", "src=", "@import", "innerHTML"] {
        assert!(!page.contains(outside), "{outside}");
    }
    Ok(())
}
