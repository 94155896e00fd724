//! The sandbox as a client sees it, and what it tells beside its answers.

mod support;

use std::error::Error;

use axum::{
    body::Bytes,
    http::{Request, StatusCode},
};
use business_data_connector::{
    Connector, ConnectorBuilder, DOCUMENT,
    types::{BusinessData, ExpenseRecord, IncomeRecord, ManyRecords, Settlement, SettlementEntry, SettlementFile},
};
use business_data_connector_sandbox::{
    DEMO_APIKEY, DEMO_APPID, DEMO_BUSINESS, DEMO_HEADER_KEY, FaultRule, Replies, Sandbox,
};
use http_body_util::{BodyExt, Full};
use hyper_util::{client::legacy::Client, rt::TokioExecutor};
use serde_json::{Value, json};
use support::served;
use tokio::{net::TcpListener, sync::mpsc};

type Outcome = Result<(), Box<dyn Error>>;

fn builder(sandbox: &Sandbox) -> ConnectorBuilder {
    Connector::builder().base_url(sandbox.base_url()).credentials(DEMO_APIKEY, DEMO_APPID).header_key(DEMO_HEADER_KEY)
}

/// Status and body of a request that no generated client would make.
async fn raw(method: &str, url: &str, content_type: &str, body: &str) -> Result<(StatusCode, Bytes), Box<dyn Error>> {
    let request = Request::builder().method(method).uri(url).header("content-type", content_type);
    let request = request.body(Full::<Bytes>::from(body.to_owned()))?;
    let answer = Client::builder(TokioExecutor::new()).build_http().request(request).await?;
    Ok((answer.status(), answer.into_body().collect().await?.to_bytes()))
}

/// An address for callbacks, and the callbacks that arrive there.
async fn receiver() -> Result<(String, mpsc::UnboundedReceiver<Value>), Box<dyn Error>> {
    let (sender, callbacks) = mpsc::unbounded_channel();
    let router = axum::Router::new().route(
        "/hook",
        axum::routing::post(|body: Bytes| async move {
            let _ = sender.send(serde_json::from_slice(&body).unwrap_or(Value::Null));
        }),
    );
    let url = format!("{}/hook?token=t", served(router).await?);
    Ok((url, callbacks))
}

fn reasons(sandbox: &Sandbox) -> Vec<String> {
    sandbox.refusals().iter().map(ToString::to_string).collect()
}

#[tokio::test]
async fn every_answer_is_without_content() -> Outcome {
    let sandbox = Sandbox::start().await?;
    let connector = builder(&sandbox).build()?;
    let taken = connector.push_income(DEMO_BUSINESS, IncomeRecord::new()).await?;
    assert_eq!((taken.status().as_u16(), taken.bytes().len()), (200, 0));
    let refused = connector.push_income("nobody", IncomeRecord::new()).await.err().ok_or("it was taken")?;
    assert_eq!(refused.reply().map(|reply| (reply.status().as_u16(), reply.bytes().len())), Some((400, 0)));
    let refused = builder(&sandbox).credentials("a", "b").build()?.verify_apikey().await.err().ok_or("it was taken")?;
    assert_eq!(refused.reply().map(|reply| (reply.status().as_u16(), reply.bytes().len())), Some((401, 0)));
    Ok(())
}

#[tokio::test]
async fn a_wrong_credential_is_a_401_whose_reason_repeats_no_secret() -> Outcome {
    let sandbox = Sandbox::start().await?;
    let base = || builder(&sandbox);
    let cases = [
        base().credentials("c4n4ry", DEMO_APPID),
        base().credentials(DEMO_APIKEY, "c4n4ry"),
        base().header_key("c4n4ry"),
    ];
    for case in cases {
        let error = case.build()?.push_business(BusinessData::new()).await.err().ok_or("it was taken")?;
        assert!(error.is_unauthorized());
    }
    let url = format!("{}/api/push/business", sandbox.base_url());
    assert_eq!(raw("POST", &url, "application/json", r#"{"data":{}}"#).await?.0, StatusCode::UNAUTHORIZED);
    assert_eq!(
        reasons(&sandbox),
        [
            "push_business: 401: expected a known pair of apikey and appid, got another (credentials)",
            "push_business: 401: expected a known pair of apikey and appid, got another (credentials)",
            "push_business: 401: expected a known key in the header X-API-Key, got another (header)",
            "push_business: 401: expected a known key in the header X-API-Key, got no such header (header)",
        ]
    );
    Ok(())
}

#[tokio::test]
async fn the_body_credentials_may_be_absent_where_the_document_lets_them() -> Outcome {
    let sandbox = Sandbox::start().await?;
    let url = |path: &str| format!("{}{path}", sandbox.base_url());
    let request = Request::post(url("/api/push/business")).header("content-type", "application/json");
    let request = request.header("x-api-key", DEMO_HEADER_KEY).body(Full::<Bytes>::from(r#"{"data":{}}"#))?;
    let answer = Client::builder(TokioExecutor::new()).build_http().request(request).await?;
    assert_eq!(answer.status(), StatusCode::OK);
    let (status, _) = raw("POST", &url("/api/push/reset"), "application/json", r#"{"uid":"demo-business"}"#).await?;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert_eq!(
        reasons(&sandbox),
        [
            "push_reset: 400: /apikey: expected a value, got nothing (required)\n/appid: expected a value, got nothing (required)"
        ]
    );
    Ok(())
}

#[tokio::test]
async fn a_bad_body_is_a_400_whose_reason_names_the_place() -> Outcome {
    let sandbox = Sandbox::start().await?;
    let url = format!("{}/api/push/income", sandbox.base_url());
    let with =
        |data: &str| format!(r#"{{"apikey":"demo-apikey","appid":"demo-appid","uid":"demo-business","data":{data}}}"#);
    let json = "application/json";
    for (content_type, body, reason) in [
        ("text/plain", with("{}"), "expected application/json, got text/plain (Content-Type)"),
        (json, String::new(), "expected strict JSON, got EOF while parsing a value at line 1 column 0 (JSON)"),
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
async fn ten_thousand_records_are_taken_and_a_body_without_end_is_refused() -> Outcome {
    let sandbox = Sandbox::start().await?;
    let connector = builder(&sandbox).build()?;
    let record = |number: u32| IncomeRecord::new().id(number.to_string()).name("x".repeat(200)).amount(5);
    let many = ManyRecords::new().income((0..10_000).map(record).collect::<Vec<_>>());
    connector.push_many(DEMO_BUSINESS, many).await?;
    assert_eq!(sandbox.records(DEMO_BUSINESS)?.len(), 10_000);
    let endless = IncomeRecord::new().notes("x".repeat(17 * 1024 * 1024));
    let error = connector.push_income(DEMO_BUSINESS, endless).await.err().ok_or("it was taken")?;
    assert!(error.is_refused() || error.is_outcome_unknown(), "{error:?}");
    assert!(reasons(&sandbox)[0].contains("expected a body that can be read, got "), "{:?}", reasons(&sandbox));
    Ok(())
}

#[tokio::test]
async fn records_are_held_digit_for_digit_and_a_reset_removes_those_of_one_business() -> Outcome {
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
    let held: Vec<_> = sandbox.records(DEMO_BUSINESS)?.iter().map(|r| format!("{} {}", r.kind(), r.as_str())).collect();
    assert_eq!(held, [r#"ExpenseRecord {"id":"E"}"#, r#"IncomeRecord {"amount":9007199254740993.10}"#]);
    connector.push_reset(DEMO_BUSINESS).await?;
    assert_eq!((sandbox.records(DEMO_BUSINESS)?.len(), sandbox.records(&other)?.len()), (0, 2));
    Ok(())
}

#[tokio::test]
async fn a_record_with_the_same_id_takes_the_place_of_the_first() -> Outcome {
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
    let held = sandbox.records(DEMO_BUSINESS)?;
    let held: Vec<_> = held.iter().map(|record| format!("{} {}", record.kind(), record.as_str())).collect();
    assert_eq!(
        held,
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
async fn an_unknown_key_is_taken_and_lost_or_refused_when_strict() -> Outcome {
    let body = r#"{"apikey":"demo-apikey","appid":"demo-appid","uid":"demo-business","weebhook":"x","data":{"ammount":5,"zzz":1}}"#;
    let sandbox = Sandbox::start().await?;
    let url = |sandbox: &Sandbox| format!("{}/api/push/income", sandbox.base_url());
    assert_eq!(raw("POST", &url(&sandbox), "application/json", body).await?.0, StatusCode::OK);
    let strict = Sandbox::builder().strict(true).start().await?;
    assert_eq!(raw("POST", &url(&strict), "application/json", body).await?.0, StatusCode::BAD_REQUEST);
    let wanted = [
        "push_income: 400: /data/ammount: expected a key of the interface, perhaps `amount`, got one that it does not know (unknown key)",
        "/data/zzz: expected a key of the interface, got one that it does not know (unknown key)",
        "/weebhook: expected a key of the interface, perhaps `webhook`, got one that it does not know (unknown key)",
    ];
    assert_eq!(reasons(&strict), [wanted.join("\n")]);
    Ok(())
}

#[tokio::test]
async fn with_observed_replies_answers_say_what_deployed_services_say() -> Outcome {
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
    let refused = connector.push_income("nobody", IncomeRecord::new()).await.err().ok_or("it was taken")?;
    assert!(
        refused.is_refused()
            && refused.message().is_some_and(|message| message.starts_with("/uid: expected the uid of a business"))
    );
    Ok(())
}

#[tokio::test]
async fn a_strict_sandbox_wants_what_deployed_services_were_seen_to_want_of_a_new_business() -> Outcome {
    let url = |sandbox: &Sandbox| format!("{}/api/push/business", sandbox.base_url());
    let create = async |sandbox: &Sandbox, data: &str| {
        let body = format!(r#"{{"apikey":"demo-apikey","appid":"demo-appid","data":{data}}}"#);
        let request = Request::post(url(sandbox)).header("content-type", "application/json");
        let request = request.header("x-api-key", DEMO_HEADER_KEY).body(Full::<Bytes>::from(body))?;
        let answer = Client::builder(TokioExecutor::new()).build_http().request(request).await?;
        Ok::<_, Box<dyn Error>>(answer.status().as_u16())
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
        reasons(&strict),
        [
            "push_business: 400: /data/lastname: expected a value, as deployed services were seen to want, got nothing (observed)",
            "push_business: 400: /data/fax: expected a key of the interface, got one that it does not know (unknown key)",
        ]
    );
    // An update changes what it carries, and wants nothing.
    let connector = builder(&strict).build()?;
    connector.push_business_update("business-1", BusinessData::new().region("ZA")).await?;
    Ok(())
}

#[tokio::test]
async fn a_callback_that_is_not_taken_is_tried_again_four_times_and_then_discarded() -> Outcome {
    let sandbox = Sandbox::builder().clock("1000000x".parse()?).start().await?;
    let connector = builder(&sandbox).build()?;
    let (sender, mut attempts) = mpsc::unbounded_channel();
    let router = axum::Router::new().route(
        "/{outcome}",
        axum::routing::post(|axum::extract::Path(outcome): axum::extract::Path<String>, body: Bytes| async move {
            let _ = sender.send((outcome.clone(), body));
            if outcome == "taken" { StatusCode::NO_CONTENT } else { StatusCode::SERVICE_UNAVAILABLE }
        }),
    );
    let url = served(router).await?;
    connector.push_income(DEMO_BUSINESS, IncomeRecord::new()).webhook(format!("{url}/refused")).await?;
    let mut bodies = Vec::new();
    for _ in 0..5 {
        let (outcome, body) = attempts.recv().await.ok_or("no attempt")?;
        assert_eq!(outcome, "refused");
        bodies.push(body);
    }
    assert!(bodies.windows(2).all(|pair| pair[0] == pair[1]), "the attempts differ");
    // Nothing more comes of the first, and one attempt is enough for the second.
    connector.push_income(DEMO_BUSINESS, IncomeRecord::new()).webhook(format!("{url}/taken")).await?;
    assert_eq!(attempts.recv().await.map(|(outcome, _)| outcome).as_deref(), Some("taken"));
    connector.push_income(DEMO_BUSINESS, IncomeRecord::new()).webhook(format!("{url}/taken")).await?;
    assert_eq!(attempts.recv().await.map(|(outcome, _)| outcome).as_deref(), Some("taken"));
    assert!(attempts.try_recv().is_err());
    Ok(())
}

/// A body that goes on for as long as somebody reads it.
struct Endless;

impl http_body::Body for Endless {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<http_body::Frame<Bytes>, Self::Error>>> {
        std::task::Poll::Ready(Some(Ok(http_body::Frame::data(Bytes::from_static(&[b'x'; 4096])))))
    }
}

#[tokio::test]
async fn a_receiver_whose_answer_does_not_end_has_taken_the_callback() -> Outcome {
    let sandbox = Sandbox::start().await?;
    let connector = builder(&sandbox).build()?;
    let (sender, mut taken) = mpsc::unbounded_channel();
    let router = axum::Router::new().route(
        "/",
        axum::routing::post(|| async move {
            let _ = sender.send(());
            axum::body::Body::new(Endless)
        }),
    );
    let webhook = format!("{}/", served(router).await?);
    connector.push_income(DEMO_BUSINESS, IncomeRecord::new()).webhook(webhook).await?;
    taken.recv().await.ok_or("no callback")?;
    // Whoever has answered has taken it, however the answer goes on.
    let told = loop {
        match sandbox.callbacks()?.pop() {
            Some(callback) if !callback.attempts.is_empty() => break callback,
            _ => tokio::task::yield_now().await,
        }
    };
    assert_eq!(told.state, "delivered", "{told:?}");
    Ok(())
}

#[tokio::test]
async fn a_receiver_that_never_answers_delays_nobody_else() -> Outcome {
    let sandbox = Sandbox::start().await?;
    let connector = builder(&sandbox).build()?;
    // It takes connections and says nothing.
    let silent = TcpListener::bind("127.0.0.1:0").await?;
    for _ in 0..300 {
        let webhook = format!("http://{}/", silent.local_addr()?);
        connector.push_income(DEMO_BUSINESS, IncomeRecord::new()).webhook(webhook).await?;
    }
    let (webhook, mut callbacks) = receiver().await?;
    connector.push_income(DEMO_BUSINESS, IncomeRecord::new()).webhook(webhook).await?;
    callbacks.recv().await.ok_or("no callback")?;
    Ok(())
}

#[tokio::test]
async fn a_callback_tells_what_came_of_the_request_and_echoes_its_signature() -> Outcome {
    let sandbox = Sandbox::start().await?;
    let connector = builder(&sandbox).build()?;
    let (webhook, mut callbacks) = receiver().await?;
    let amount: business_data_connector::Decimal = "100.10".parse()?;
    connector
        .push_income(DEMO_BUSINESS, IncomeRecord::new().amount(amount))
        .webhook(&webhook)
        .signature("mine")
        .await?;
    let callback = callbacks.recv().await.ok_or("no callback")?;
    assert_eq!(callback["signature"], "mine");
    assert_eq!(callback["response"], json!({ "error": false, "message": "done" }));
    assert_eq!(
        callback["received"],
        json!({ "webhook": webhook, "uid": DEMO_BUSINESS, "type": "push_income", "direction": "push" })
    );
    connector.pull_income(DEMO_BUSINESS, &webhook).await?;
    let callback = callbacks.recv().await.ok_or("no callback")?;
    assert_eq!(callback["response"]["income"], json!([{ "amount": 100.10 }]));
    assert!(!callback.to_string().contains(DEMO_APPID));
    Ok(())
}

#[tokio::test]
async fn a_second_business_with_the_same_address_is_the_first() -> Outcome {
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
async fn a_settlement_file_is_one_that_was_uploaded_where_the_sandbox_said() -> Outcome {
    let sandbox = Sandbox::start().await?;
    let connector = builder(&sandbox).build()?;
    let (webhook, mut callbacks) = receiver().await?;
    let settle = |url: &str| connector.push_settlement_file(DEMO_BUSINESS, SettlementFile::new().url(url));
    assert!(settle("http://127.0.0.1:1/else").await.is_err_and(|error| error.is_refused()));
    assert!(settle("https://elsewhere.example/upload-1").await.is_err_and(|error| error.is_refused()));
    connector.pull_storage_upload_url(DEMO_BUSINESS).webhook(&webhook).await?;
    let url =
        callbacks.recv().await.ok_or("no callback")?["response"]["url"].as_str().map(str::to_owned).ok_or("no url")?;
    assert!(settle(&url).await.is_err_and(|error| error.is_refused()), "nothing is there yet");
    for (file, status) in
        [("{", 400), ("{}", 400), (r#"[{"settlement":5}]"#, 400), (r#"[{"settlement":{"amount":1.10}}]"#, 200)]
    {
        assert_eq!(raw("PUT", &url, "application/json", file).await?.0.as_u16(), status, "{file}");
    }
    settle(&url).await?;
    let held = sandbox.records(DEMO_BUSINESS)?;
    assert_eq!(held.iter().map(|record| record.as_str()).collect::<Vec<_>>(), [r#"{"settlement":{"amount":1.10}}"#]);
    held[0].json::<SettlementEntry>()?;
    assert_eq!(raw("PUT", &format!("{url}x"), "application/json", "[]").await?.0, StatusCode::BAD_REQUEST);
    assert_eq!(
        reasons(&sandbox).last().map(String::as_str),
        Some("upload: 400: expected an address that the upload-URL operation gave, got another (upload)")
    );
    let (status, content) = raw("PUT", &url, "application/json", &"x".repeat(17 * 1024 * 1024)).await?;
    assert_eq!((status, content.len()), (StatusCode::BAD_REQUEST, 0));
    Ok(())
}

#[tokio::test]
async fn an_upload_address_expires_and_belongs_to_one_business() -> Outcome {
    let sandbox = Sandbox::builder().replies(Replies::Observed).clock("1000000000x".parse()?).start().await?;
    let connector = builder(&sandbox).build()?;
    let told = connector.pull_storage_upload_url(DEMO_BUSINESS).await?.json::<Value>()?;
    let url = told["url"].as_str().ok_or("no url")?;
    // Fifteen minutes are less than a millisecond here.
    while raw("PUT", url, "application/json", "[]").await?.0 == StatusCode::OK {}
    let wanted =
        "upload: 400: expected an address that the upload-URL operation gave, got one that has expired (upload)";
    assert_eq!(reasons(&sandbox).last().map(String::as_str), Some(wanted));
    let others = url.replace(DEMO_BUSINESS, "business-1");
    assert_eq!(raw("PUT", &others, "application/json", "[]").await?.0, StatusCode::BAD_REQUEST);
    assert!(reasons(&sandbox).last().is_some_and(|reason| reason.ends_with("got another (upload)")));
    Ok(())
}

#[tokio::test]
async fn whatever_is_text_in_json_is_stored_as_it_was_sent() -> Outcome {
    let sandbox = Sandbox::start().await?;
    let connector = builder(&sandbox).build()?;
    let strange = "\u{0} \u{7f} \u{2028} \u{feff} 🦁 e\u{301} \\ \" '; DROP TABLE records; --";
    connector.push_income(DEMO_BUSINESS, IncomeRecord::new().id(strange).notes(strange)).await?;
    connector.push_income(DEMO_BUSINESS, IncomeRecord::new().id(strange).name("again")).await?;
    let held = sandbox.records(DEMO_BUSINESS)?;
    assert_eq!(held.len(), 1);
    assert_eq!((held[0].id(), held[0].json::<IncomeRecord>()?.name.as_deref()), (Some(strange), Some("again")));
    Ok(())
}

#[tokio::test]
async fn pairs_from_a_file_are_accepted_in_place_of_the_demo_pair() -> Outcome {
    let file = tempfile::NamedTempFile::new()?;
    std::fs::write(file.path(), "key-1 app-1\n\n  key-2\tapp-2 \n")?;
    let sandbox = Sandbox::builder().credentials_in(file.path())?.start().await?;
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
    let error = Sandbox::builder().credentials_in(file.path()).err().ok_or("it was read")?;
    assert_eq!(error.to_string(), "line 2: must be an API key and an application identifier");
    Ok(())
}

#[tokio::test]
async fn a_stop_finishes_what_was_taken() -> Outcome {
    let sandbox = Sandbox::start().await?;
    let connector = builder(&sandbox).build()?;
    let (webhook, mut callbacks) = receiver().await?;
    for _ in 0..50 {
        connector.push_income(DEMO_BUSINESS, IncomeRecord::new()).webhook(&webhook).await?;
    }
    drop(connector);
    sandbox.stop().await?;
    let mut received = 0;
    while callbacks.try_recv().is_ok() {
        received += 1;
    }
    assert_eq!(received, 50);
    Ok(())
}

#[tokio::test]
async fn a_fault_may_be_there_from_the_start() -> Outcome {
    let rule = FaultRule { operation: None, fault: "401".parse()?, times: Some(1) };
    let sandbox = Sandbox::builder().fault(rule).start().await?;
    let connector = builder(&sandbox).build()?;
    assert!(connector.verify_apikey().await.is_err_and(|error| error.is_unauthorized()));
    connector.verify_apikey().await?;
    Ok(())
}

#[tokio::test]
async fn an_operation_that_is_added_to_the_document_is_served() -> Outcome {
    let reset = "  /api/push/reset:";
    let added = r##"  /api/push/note:
    post:
      operationId: push_note
      tags: [push]
      summary: Push a note
      description: Only in this test.
      x-effect: write
      x-asynchronous: false
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

#[tokio::test]
async fn it_stops_when_it_is_dropped() -> Outcome {
    let sandbox = Sandbox::start().await?;
    let connector = builder(&sandbox).attempts(1).build()?;
    connector.verify_apikey().await?;
    drop(sandbox);
    // The connection that is there may serve one more; none is made after that.
    while connector.verify_apikey().await.is_ok() {}
    Ok(())
}

#[tokio::test]
async fn a_file_is_free_when_its_sandbox_was_dropped_whatever_answers_wait() -> Outcome {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("sandbox.db");
    let sandbox = Sandbox::builder().data(&file).start().await?;
    let url = format!("{}/api/push/income", sandbox.base_url());
    let body = r#"{"apikey":"demo-apikey","appid":"demo-appid","uid":"demo-business","data":{"notes":"sandbox:latency=3600000"}}"#;
    let caller = tokio::spawn(async move { raw("POST", &url, "application/json", body).await.is_ok() });
    while sandbox.requests().is_empty() {
        tokio::task::yield_now().await;
    }
    caller.abort();
    drop(sandbox);
    // It waits for the one that is just stopping.
    let sandbox = Sandbox::builder().data(&file).start().await?;
    assert_eq!(sandbox.records(DEMO_BUSINESS)?.len(), 1);
    Ok(())
}

#[tokio::test]
async fn an_address_in_use_is_an_error() -> Outcome {
    let taken = TcpListener::bind("127.0.0.1:0").await?;
    assert!(Sandbox::builder().listen(taken.local_addr()?).start().await.is_err());
    Ok(())
}
