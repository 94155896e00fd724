//! Which requests are accepted or refused, what their replies hold, and which reason is logged.

mod support;

use axum::http::{Request, StatusCode};
use business_data_connector::types::{BusinessData, IncomeRecord};
use business_data_connector_sandbox::{DEMO_APIKEY, DEMO_APPID, DEMO_BUSINESS, DEMO_HEADER_KEY, Replies, Sandbox};
use http_body_util::Full;
use serde_json::{Value, json};
use support::{TestResult, builder, raw, refusals, send};

#[tokio::test]
async fn every_reply_is_without_content() -> TestResult {
    let sandbox = Sandbox::start().await?;
    let connector = builder(&sandbox).build()?;
    let accepted = connector.push_income(DEMO_BUSINESS, IncomeRecord::new()).await?;
    assert_eq!((accepted.status().as_u16(), accepted.bytes().len()), (200, 0));
    let refused = connector.push_income("nobody", IncomeRecord::new()).await.err().ok_or("it was accepted")?;
    assert_eq!(refused.reply().map(|reply| (reply.status().as_u16(), reply.bytes().len())), Some((400, 0)));
    let refused =
        builder(&sandbox).credentials("a", "b").build()?.verify_apikey().await.err().ok_or("it was accepted")?;
    assert_eq!(refused.reply().map(|reply| (reply.status().as_u16(), reply.bytes().len())), Some((401, 0)));
    Ok(())
}

#[tokio::test]
async fn a_wrong_credential_is_a_401_whose_reason_repeats_no_secret() -> TestResult {
    let sandbox = Sandbox::start().await?;
    let base = || builder(&sandbox);
    let cases = [
        base().credentials("c4n4ry", DEMO_APPID),
        base().credentials(DEMO_APIKEY, "c4n4ry"),
        base().header_key("c4n4ry"),
    ];
    for case in cases {
        let error = case.build()?.push_business(BusinessData::new()).await.err().ok_or("it was accepted")?;
        assert!(error.is_unauthorized());
    }
    let url = format!("{}/api/push/business", sandbox.base_url());
    assert_eq!(raw("POST", &url, "application/json", r#"{"data":{}}"#).await?.0, StatusCode::UNAUTHORIZED);
    assert_eq!(
        refusals(&sandbox),
        [
            "push_business: 401: expected a known pair of apikey and appid, got an unknown pair (credentials)",
            "push_business: 401: expected a known pair of apikey and appid, got an unknown pair (credentials)",
            "push_business: 401: expected a known key in the header X-API-Key, got an unknown key (header)",
            "push_business: 401: expected a known key in the header X-API-Key, got no such header (header)",
        ]
    );
    Ok(())
}

#[tokio::test]
async fn body_credentials_may_be_missing_where_the_document_permits_it() -> TestResult {
    let sandbox = Sandbox::start().await?;
    let url = |path: &str| format!("{}{path}", sandbox.base_url());
    let request = Request::post(url("/api/push/business")).header("content-type", "application/json");
    let request = request.header("x-api-key", DEMO_HEADER_KEY).body(Full::from(r#"{"data":{}}"#))?;
    assert_eq!(send(request).await?.0, StatusCode::OK);
    let (status, _) = raw("POST", &url("/api/push/reset"), "application/json", r#"{"uid":"demo-business"}"#).await?;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert_eq!(
        refusals(&sandbox),
        [
            "push_reset: 400: /apikey: expected a value, got nothing (required)\n/appid: expected a value, got nothing (required)"
        ]
    );
    Ok(())
}

#[tokio::test]
async fn an_invalid_body_is_a_400_whose_reason_names_the_location() -> TestResult {
    let sandbox = Sandbox::start().await?;
    let url = format!("{}/api/push/income", sandbox.base_url());
    let with =
        |data: &str| format!(r#"{{"apikey":"demo-apikey","appid":"demo-appid","uid":"demo-business","data":{data}}}"#);
    let json = "application/json";
    for (content_type, body, reason) in [
        ("text/plain", with("{}"), "expected application/json, got text/plain (Content-Type)"),
        (json, String::new(), "expected strict JSON, got an empty body (JSON)"),
        (json, "{".to_owned(), "expected strict JSON, got EOF while parsing an object at line 1 column 1 (JSON)"),
        (json, with(r#"{"amount":"5"}"#), "/data/amount: expected number, got string (type)"),
        (json, with(r#"{"amount":null}"#), "/data/amount: expected number, got null (type)"),
        (json, with("[]"), "/data: expected object, got array (type)"),
        (json, "[]".to_owned(), "expected object, got array (type)"),
        (json, with(r#"{"amount":1e400}"#), "expected strict JSON, got number out of range at line 1 column 89 (JSON)"),
    ] {
        let (status, content) = raw("POST", &url, content_type, &body).await?;
        assert_eq!((status, content.len()), (StatusCode::BAD_REQUEST, 0), "{body}");
        assert_eq!(sandbox.refusals().last().map(|refusal| refusal.reason()).as_deref(), Some(reason));
    }
    assert_eq!(sandbox.records(DEMO_BUSINESS)?.len(), 0);
    assert_eq!(raw("GET", &url, json, "").await?.0, StatusCode::METHOD_NOT_ALLOWED);
    assert_eq!(raw("POST", &format!("{url}/x"), json, "").await?.0, StatusCode::NOT_FOUND);
    Ok(())
}

#[tokio::test]
async fn an_unknown_key_is_accepted_or_refused_when_strict() -> TestResult {
    let body = r#"{"apikey":"demo-apikey","appid":"demo-appid","uid":"demo-business","weebhook":"x","data":{"ammount":5,"zzz":1}}"#;
    let sandbox = Sandbox::start().await?;
    let url = |sandbox: &Sandbox| format!("{}/api/push/income", sandbox.base_url());
    assert_eq!(raw("POST", &url(&sandbox), "application/json", body).await?.0, StatusCode::OK);
    let strict = Sandbox::builder().strict(true).start().await?;
    assert_eq!(raw("POST", &url(&strict), "application/json", body).await?.0, StatusCode::BAD_REQUEST);
    let expected = [
        "push_income: 400: /data/ammount: expected a key that the interface defines, perhaps `amount`, got an unknown key (unknown key)",
        "/data/zzz: expected a key that the interface defines, got an unknown key (unknown key)",
        "/weebhook: expected a key that the interface defines, perhaps `webhook`, got an unknown key (unknown key)",
    ];
    assert_eq!(refusals(&strict), [expected.join("\n")]);
    Ok(())
}

#[tokio::test]
async fn observed_replies_hold_what_deployed_services_send() -> TestResult {
    let sandbox = Sandbox::builder().replies(Replies::Observed).start().await?;
    let connector = builder(&sandbox).build()?;
    let queued = connector.push_income(DEMO_BUSINESS, IncomeRecord::new()).await?;
    assert_eq!(queued.json::<Value>()?, json!({ "error": false, "message": "queued" }));
    let business = BusinessData::new().businessname("B").firstname("F").lastname("L").email("a@b.example");
    let created = connector.push_business(business).await?.json::<Value>()?;
    assert_eq!(created["uid"], "business-1");
    assert!(created["token"].as_str().is_some_and(|token| token.len() == 32), "{created}");
    let upload = connector.pull_storage_upload_url("business-1").await?.json::<Value>()?;
    assert!(
        upload["url"].as_str().is_some_and(|url| url.contains("/_sandbox/uploads/business-1/upload-1?token=")),
        "{upload}"
    );
    let refused = connector.push_income("nobody", IncomeRecord::new()).await.err().ok_or("it was accepted")?;
    assert!(
        refused.is_refused()
            && refused
                .message()
                .is_some_and(|message| message.starts_with("/uid: expected the uid of a business that exists"))
    );
    Ok(())
}

#[tokio::test]
async fn a_strict_sandbox_requires_what_deployed_services_were_observed_to_require_of_a_new_business() -> TestResult {
    let url = |sandbox: &Sandbox| format!("{}/api/push/business", sandbox.base_url());
    let create = async |sandbox: &Sandbox, data: &str| {
        let body = format!(r#"{{"apikey":"demo-apikey","appid":"demo-appid","data":{data}}}"#);
        let request = Request::post(url(sandbox)).header("content-type", "application/json");
        let request = request.header("x-api-key", DEMO_HEADER_KEY).body(Full::from(body))?;
        TestResult::Ok(send(request).await?.0.as_u16())
    };
    let whole = r#"{"businessname":"B","firstname":"F","lastname":"L","email":"a@b.example"}"#;
    let less = r#"{"businessname":"B","firstname":"F","email":"a@b.example"}"#;
    let more = r#"{"businessname":"B","firstname":"F","lastname":"L","email":"a@b.example","fax":"1"}"#;
    let specified = Sandbox::start().await?;
    let strict = Sandbox::builder().strict(true).start().await?;
    for (data, status) in [(whole, 200), (less, 400), (more, 400)] {
        assert_eq!(create(&specified, data).await?, 200, "{data}");
        assert_eq!(create(&strict, data).await?, status, "{data}");
    }
    assert_eq!(
        refusals(&strict),
        [
            "push_business: 400: /data/lastname: expected a value, which deployed services were observed to require, got nothing (observed)",
            "push_business: 400: /data/fax: expected a key that the interface defines, got an unknown key (unknown key)",
        ]
    );
    // An update requires none of them.
    let connector = builder(&strict).build()?;
    connector.push_business_update("business-1", BusinessData::new().region("ZA")).await?;
    Ok(())
}

#[tokio::test]
async fn pairs_from_a_file_replace_the_demo_pair() -> TestResult {
    let file = tempfile::NamedTempFile::new()?;
    std::fs::write(file.path(), "key-1 app-1\n\n  key-2\tapp-2 \n")?;
    let sandbox = Sandbox::builder().credentials_file(file.path())?.start().await?;
    for (apikey, appid, known) in [
        ("key-1", "app-1", true),
        ("key-2", "app-2", true),
        ("key-1", "app-2", false),
        (DEMO_APIKEY, DEMO_APPID, false),
    ] {
        let connector = builder(&sandbox).credentials(apikey, appid).build()?;
        assert_eq!(connector.verify_apikey().await.is_ok(), known, "{apikey} {appid}");
    }
    std::fs::write(file.path(), "key-1 app-1\nkey-2\n")?;
    let error = Sandbox::builder().credentials_file(file.path()).err().ok_or("it was read")?;
    let expected = format!(
        "cannot read the credentials in {}: line 2 is not an API key and an application identifier",
        file.path().display()
    );
    assert_eq!(error.to_string(), expected);
    Ok(())
}
