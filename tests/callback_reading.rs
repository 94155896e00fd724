//! What is read from the body of a callback: the shapes that were seen, and shapes that nobody has seen.
#![cfg(all(feature = "callback", feature = "testing"))]
#![allow(clippy::unwrap_used, reason = "the helpers of a test may fail it, as the test may")]

use business_data_connector::{
    Decimal,
    callback::{Callback, CallbackAddress, CallbackEndpoint, CallbackKey, SignatureEcho, testing::TestCallback},
    types::IncomeRecord,
};
use serde::Deserialize;
use serde_json::{Value, json};

fn received(body: impl Into<Vec<u8>>) -> Callback {
    let (endpoint, address) = parts();
    endpoint.verify(address.path(), body.into()).unwrap()
}

fn parts() -> (CallbackEndpoint, CallbackAddress) {
    let endpoint = CallbackEndpoint::new("https://partner.example", CallbackKey::random(7).unwrap()).unwrap();
    let address = endpoint.address_for("pull_income", Some("demo-business")).unwrap();
    (endpoint, address)
}

fn with_response(response: &str) -> Callback {
    let (endpoint, address) = parts();
    let sent = TestCallback::new(&address).response(response);
    endpoint.verify(sent.path(), sent.body()).unwrap()
}

#[test]
fn the_members_of_the_envelope_are_read() {
    let callback = received(
        json!({
            "date": "2026-03-31", "timestamp": 1774915200, "signature": null, "status": "success", "tomorrow": [],
            "received": { "webhook": "https://h", "uid": "demo-business", "type": "pull_income", "direction": "pull" },
            "response": { "error": false, "message": "done" },
        })
        .to_string(),
    );
    assert_eq!((callback.date(), callback.timestamp()), (Some("2026-03-31"), Some("1774915200")));
    assert_eq!((callback.status(), callback.signature()), (Some("success"), None));
    assert_eq!((callback.received_uid(), callback.received_direction()), (Some("demo-business"), Some("pull")));
    assert_eq!((callback.error(), callback.message()), (Some(false), Some("done")));
    assert_eq!(callback.signature_echo(), SignatureEcho::Missing);
    assert!(!callback.is_failure() && !callback.is_interim());
}

#[test]
fn amounts_in_a_callback_are_exact() {
    #[derive(Deserialize)]
    struct Pulled {
        income: Vec<IncomeRecord>,
    }
    let callback =
        with_response(r#"{"error":false,"income":[{"amount":12345678901234567890.12345678},{"amount":100.10}]}"#);
    let pulled: Pulled = callback.response().unwrap();
    let amounts: Vec<_> = pulled.income.iter().map(|income| income.amount.unwrap().to_string()).collect();
    assert_eq!(amounts, ["12345678901234567890.12345678", "100.10"]);
    assert_eq!(pulled.income[1].amount, Some("100.1".parse::<Decimal>().unwrap()));
}

#[test]
fn failures_and_interim_callbacks_are_recognised() {
    for (response, failure, interim) in [
        (r#"{"error":true,"message":"m"}"#, true, false),
        (r#"{"error":null,"transactions":[],"hardrefreshing":true}"#, false, true),
        (r#"{"error":null,"transactions":[],"hardrefreshing":false}"#, false, false),
        (r#"{"uid":"business-1","token":"t"}"#, false, false),
        (r#"{"error":"false","hardrefreshing":"true"}"#, false, false),
        ("[]", false, false),
        ("null", false, false),
    ] {
        let callback = with_response(response);
        assert_eq!((callback.is_failure(), callback.is_interim()), (failure, interim), "{response}");
    }
    assert!(received(r#"{"status":"ERROR"}"#).is_failure());
    assert!(!received(r#"{"status":"error","response":{"error":false}}"#).is_failure(), "the response decides");
}

#[test]
fn a_shape_that_nobody_knows_is_kept_byte_for_byte() {
    let strange: [&[u8]; 12] = [
        b"",
        b"null",
        b"[1, 2]",
        b"not JSON",
        b"\xff\xfe\x00",
        b"{\"response\"",
        b"{\"response\": 1e400}",
        b"{\"received\": [], \"status\": {}, \"signature\": []}",
        b"{\"status\": \"a\", \"status\": \"b\"}",
        b"{\"response\": {\"a\": 1, \"a\": 2}}",
        b"\xef\xbb\xbf{\"status\": \"with a mark\"}",
        b"{\"tomorrow\": true}",
    ];
    for body in strange {
        let callback = received(body);
        assert_eq!(&callback.bytes()[..], body);
        assert!(!callback.is_interim());
        assert!(callback.response::<IncomeRecord>().is_err() || callback.response_bytes().is_some());
    }
    assert_eq!(received(strange[10]).status(), Some("with a mark"));
    assert_eq!(received(strange[8]).status(), Some("b"));
    assert_eq!(received(strange[6]).response_bytes().map(|bytes| &bytes[..]), Some(&b"1e400"[..]));
}

#[test]
fn an_unreadable_response_is_an_error_that_does_not_quote_the_body() {
    let error = with_response(r#"{"c4n4ry":"c4n4ry"}"#).response::<Vec<Value>>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "the callback of pull_income cannot be read as this type: `response` is of another type, at line 1 column 0 of it"
    );
    let error = received("{}").response::<Value>().unwrap_err();
    assert!(error.to_string().ends_with("the callback has no `response`"), "{error}");
}
