//! Every callback that the sandbox sends, with every fault of callbacks, is one that the document describes.

mod support;

use std::collections::{BTreeMap, BTreeSet};

use axum::{
    body::Bytes,
    http::{Request, StatusCode},
};
use business_data_connector::DOCUMENT;
use business_data_connector_document::{Document, Operation, referred};
use business_data_connector_sandbox::{
    DEMO_APIKEY, DEMO_APPID, DEMO_BUSINESS, DEMO_HEADER_KEY, Fault, Replies, Sandbox,
};
use http_body_util::Full;
use jsonschema::Validator;
use serde_json::{Map, Value, json};
use support::{TestResult, receiver, send};

/// What the document says on callbacks.
struct Described {
    document: Document,
    envelope: Validator,
    /// By the name of the schema.
    shapes: BTreeMap<String, Validator>,
}

impl Described {
    fn read() -> TestResult<Self> {
        let document = Document::parse(DOCUMENT)?;
        let validator = |name: &str| -> TestResult<Validator> {
            Ok(jsonschema::draft202012::new(&document.json_schema(name).ok_or("no such schema")?)?)
        };
        let shapes = document.operations().iter().filter_map(|operation| operation.callback.clone());
        Ok(Self {
            envelope: validator(document.callback_envelope().ok_or("no envelope")?)?,
            shapes: shapes.map(|name| Ok((name.clone(), validator(&name)?))).collect::<TestResult<_>>()?,
            document,
        })
    }

    /// The operations that take a `webhook`.
    fn operations(&self) -> impl Iterator<Item = &Operation> {
        self.document.operations().iter().filter(|operation| operation.callback.is_some())
    }

    fn properties(&self, schema: &str) -> BTreeSet<&str> {
        let properties = self.document.as_value()["components"]["schemas"][schema]["properties"].as_object();
        properties.into_iter().flatten().map(|(name, _)| name.as_str()).collect()
    }

    /// Fails unless the document describes the callback: its schemas accept it, and have each of its fields.
    fn check(&self, callback: &Value) -> TestResult {
        let problems: Vec<_> = self.envelope.iter_errors(callback).map(|error| error.to_string()).collect();
        assert_eq!(problems, Vec::<String>::new(), "{callback}");
        let fields = |value: &Value| -> BTreeSet<String> {
            value.as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect()
        };
        let known = |names: &BTreeSet<&str>, value: &Value| fields(value).iter().all(|name| names.contains(&**name));
        assert!(known(&self.properties("Callback"), callback), "{callback}");
        assert!(known(&self.properties("CallbackReceived"), &callback["received"]), "{callback}");
        let operation = callback["received"]["type"].as_str().ok_or("no type")?;
        let operation = self.operations().find(|described| described.id == operation).ok_or("an unknown operation")?;
        let shape = operation.callback.as_deref().unwrap_or_default();
        let problems: Vec<_> = self.shapes[shape].iter_errors(&callback["response"]).map(|e| e.to_string()).collect();
        assert_eq!(problems, Vec::<String>::new(), "{shape}: {callback}");
        // An interim callback has the shape of the bank feed, whichever operation it is sent for.
        let interim = callback["response"]["hardrefreshing"] == true;
        let shape = if interim { "BankFeedResponse" } else { shape };
        assert!(known(&self.properties(shape), &callback["response"]), "{shape}: {callback}");
        Ok(())
    }

    /// An object with the example of each property of a schema.
    fn example(&self, schema: &str) -> Value {
        let properties = self.document.as_value()["components"]["schemas"][schema]["properties"].as_object();
        let members = properties.into_iter().flatten().map(|(name, property)| {
            let value = match referred(property) {
                Some(schema) => self.example(schema),
                None if property["type"] == "array" => {
                    json!([self.example(referred(&property["items"]).unwrap_or(""))])
                }
                None => property["example"].clone(),
            };
            (name.clone(), value)
        });
        Value::Object(members.collect::<Map<_, _>>())
    }
}

async fn post(sandbox: &Sandbox, path: &str, fault: Option<&str>, body: &Value) -> TestResult<Bytes> {
    let mut request = Request::post(format!("{}{path}", sandbox.base_url()))
        .header("content-type", "application/json")
        .header("x-api-key", DEMO_HEADER_KEY);
    if let Some(fault) = fault {
        request = request.header("x-sandbox-fault", fault);
    }
    let (status, reply) = send(request.body(Full::from(body.to_string()))?).await?;
    assert_eq!(status, StatusCode::OK, "{path}: {reply:?}");
    Ok(reply)
}

/// An address to which a settlement file was uploaded.
async fn uploaded(sandbox: &Sandbox, described: &Described) -> TestResult<Value> {
    let operation = described.operations().find(|operation| operation.id == "pull_storage_upload_url");
    let body = json!({ "apikey": DEMO_APIKEY, "appid": DEMO_APPID, "uid": DEMO_BUSINESS });
    let reply = post(sandbox, &operation.ok_or("no such operation")?.path, None, &body).await?;
    let url = serde_json::from_slice::<Value>(&reply)?["url"].clone();
    let put = Request::put(url.as_str().ok_or("no url")?).header("content-type", "application/json");
    assert_eq!(send(put.body(Full::from("[]"))?).await?.0, StatusCode::OK);
    Ok(url)
}

#[tokio::test]
async fn every_callback_of_every_operation_and_fault_is_described_by_the_document() -> TestResult {
    let described = Described::read()?;
    let sandbox = Sandbox::builder().replies(Replies::Observed).clock("1000x".parse()?).start().await?;
    let faults = Fault::SYNTAX.iter().filter(|(syntax, _)| syntax.starts_with("callback-"));
    let faults: Vec<_> = faults.map(|(syntax, _)| syntax.replace("=MS", "=5")).collect();
    assert_eq!(faults.len(), 4);
    let (webhook, mut callbacks) = receiver().await?;
    let mut received = 0;
    for operation in described.operations() {
        for fault in faults.iter().map(|fault| Some(fault.as_str())).chain([None]) {
            let mut body = described.example(&operation.request);
            body["apikey"] = DEMO_APIKEY.into();
            body["appid"] = DEMO_APPID.into();
            body["webhook"] = webhook.as_str().into();
            if body.get("uid").is_some() {
                body["uid"] = DEMO_BUSINESS.into();
            }
            if body["data"].get("url").is_some() {
                body["data"]["url"] = uploaded(&sandbox, &described).await?;
            }
            // Both nulls that were observed are sent: without a signature, and for a new business without a `uid`.
            if fault.is_none() {
                body.as_object_mut().ok_or("no object")?.remove("signature");
            }
            post(&sandbox, &operation.path, fault, &body).await?;
            let expected = match fault {
                Some("callback-duplicate" | "callback-interim") => 2,
                _ => 1,
            };
            for _ in 0..expected {
                let callback = callbacks.recv().await.ok_or("no callback")?;
                assert_eq!(callback["received"]["type"], operation.id.as_str());
                assert_eq!(callback["signature"].is_null(), fault.is_none(), "{callback}");
                described.check(&callback).map_err(|error| format!("{}: {fault:?}: {error}", operation.id))?;
                received += 1;
            }
        }
    }
    assert_eq!(received, described.operations().count() * 7);
    assert!(callbacks.try_recv().is_err());
    Ok(())
}
