//! Addresses of callbacks: what is accepted, and an error for each way in which one can be wrong.
#![cfg(all(feature = "callback", feature = "testing"))]
#![allow(clippy::unwrap_used, reason = "the helpers of a test may fail it, as the test may")]

use std::time::{Duration, SystemTime};

use business_data_connector::{
    OPERATIONS, Request, RequestEnvelope as _, RequestVisitor,
    callback::{
        CallbackAddress, CallbackEndpoint, CallbackError, CallbackKey, CallbackKeys, SignatureEcho,
        testing::TestCallback,
    },
    types::{IncomeRecord, PushIncomeRequest, VerifyApikeyRequest},
    visit_requests,
};
use proptest::prelude::*;
use serde_json::json;

const BASE: &str = "https://partner.example/callbacks";
const UID: &str = "demo-business";

fn key(id: u8) -> CallbackKey {
    CallbackKey::new(id, format!("a secret of the tests, number {id:03}")).unwrap()
}

fn endpoint() -> CallbackEndpoint {
    CallbackEndpoint::new(BASE, key(1)).unwrap()
}

fn address() -> CallbackAddress {
    endpoint().address_for("push_income", Some(UID)).unwrap()
}

/// The kind of the error, or `ok`.
fn verdict(endpoint: &CallbackEndpoint, path: &str, body: &str) -> &'static str {
    endpoint.verify(path, body.to_owned()).map_or_else(|error| error.kind(), |_| "ok")
}

#[test]
fn any_instance_with_the_key_verifies_an_address_and_knows_what_it_answers() {
    let address = address();
    let sent = TestCallback::new(&address);
    let elsewhere = CallbackEndpoint::new("https://other.example", key(1)).unwrap();
    for endpoint in [endpoint(), elsewhere] {
        let callback = endpoint.verify(sent.path(), sent.body()).unwrap();
        assert_eq!((callback.operation_id(), callback.uid()), ("push_income", Some(UID)));
        assert_eq!(callback.id(), address.id());
        assert_eq!(callback.operation().map(|operation| operation.id), Some("push_income"));
        assert_eq!(callback.signature_echo(), SignatureEcho::Correct);
    }
    assert_eq!(endpoint().verify(address.as_str(), "{}").unwrap().uid(), Some(UID), "the whole address");
}

#[test]
fn every_operation_that_takes_a_webhook_gets_an_address_and_a_signature() {
    struct Visitor(usize);
    impl RequestVisitor for Visitor {
        fn visit<R: Request>(&mut self) {
            let text = r#"{"uid":"demo-business","webhook":"","email":"e","data":{}}"#;
            let list = text.replace(r#""data":{}"#, r#""data":[]"#);
            let request = serde_json::from_str::<R>(text).or_else(|_| serde_json::from_str(&list));
            let mut request = request.unwrap_or_else(|e| panic!("{}: {e}", R::OPERATION.id));
            match endpoint().attach(&mut request) {
                Ok(address) => {
                    assert_eq!(request.envelope().webhook, Some(address.as_str()));
                    assert_eq!(request.envelope().signature, Some(address.signature()));
                    assert_eq!(address.operation(), Some(R::OPERATION));
                    let shown = format!("{request:?}");
                    assert!(!shown.contains("cb1_") && !shown.contains(address.signature()), "{shown}");
                    self.0 += 1;
                }
                Err(error) => assert!(!R::OPERATION.asynchronous, "{error}"),
            }
        }
    }
    let mut visitor = Visitor(0);
    visit_requests(&mut visitor);
    assert!(visitor.0 >= OPERATIONS.iter().filter(|operation| operation.asynchronous).count());
}

#[test]
fn a_signature_of_ones_own_is_kept() {
    let mut request = PushIncomeRequest::new(UID, IncomeRecord::new()).signature("mine");
    endpoint().attach(&mut request).unwrap();
    assert_eq!(request.envelope().signature, Some("mine"));
    let error = endpoint().attach(&mut VerifyApikeyRequest::new()).unwrap_err();
    assert_eq!(error.to_string(), "nothing was sent: verify_apikey takes no `webhook`, so it has no callback");
}

#[test]
fn what_proxies_do_to_a_path_changes_nothing() {
    let path = address().path().to_owned();
    let token = path.rsplit('/').next().unwrap();
    for path in [
        path.clone(),
        format!("{path}/"),
        format!("{path}//"),
        format!("//callbacks//{token}"),
        format!("/{token}"),
        token.to_owned(),
        format!("/a/prefix/that/was/added/{token}"),
        format!("{path}?added=1"),
        path.replace('_', "%5F").replace('-', "%2d"),
        format!("https://PARTNER.example:443/callbacks/{token}"),
    ] {
        assert_eq!(verdict(&endpoint(), &path, "{}"), "ok", "{path}");
    }
}

#[test]
fn a_path_without_a_token_is_foreign() {
    for path in ["", "/", "/callbacks", "/callbacks/42", "/callbacks/CB1_x", "/cb1_x/status", "/%", "/%zz/é"] {
        assert_eq!(verdict(&endpoint(), path, "{}"), "foreign", "{path}");
    }
}

#[test]
fn a_token_that_was_cut_anywhere_is_not_accepted() {
    let path = address().path().to_owned();
    let token = path.find("cb1_").unwrap() + "cb1_".len();
    for length in token..path.len() {
        let verdict = verdict(&endpoint(), &path[..length], "{}");
        assert_eq!(verdict, "cut", "{length} of {}", path.len());
    }
}

#[test]
fn a_token_that_was_altered_anywhere_is_not_accepted() {
    let path = address().path().to_owned();
    let token = path.find("cb1_").unwrap() + "cb1_".len();
    for position in token..path.len() {
        for other in ["A", "B", "_", "z", "."] {
            if &path[position..=position] != other {
                let altered = format!("{}{other}{}", &path[..position], &path[position + 1..]);
                assert_ne!(verdict(&endpoint(), &altered, "{}"), "ok", "{altered}");
            }
        }
    }
    assert_eq!(verdict(&endpoint(), &format!("{path}AAAA"), "{}"), "malformed");
    // The last character is wholly part of the MAC.
    let uid = CallbackEndpoint::new(BASE, key(1)).unwrap().address_for("push_income", Some("demo-busines")).unwrap();
    let last = uid.path().len() - 2;
    let altered = format!("{}{}", &uid.path()[..last], if &uid.path()[last..] == "AA" { "BA" } else { "AA" });
    assert_ne!(verdict(&endpoint(), &altered, "{}"), "ok");
}

#[test]
fn another_secret_under_the_same_identifier_is_altered_and_another_identifier_unknown() {
    let path = address().path().to_owned();
    let same_id = CallbackEndpoint::new(BASE, CallbackKey::new(1, b"another secret of 26 bytes").unwrap()).unwrap();
    assert_eq!(verdict(&same_id, &path, "{}"), "altered");
    let error = CallbackEndpoint::new(BASE, key(2)).unwrap().verify(&path, "{}").unwrap_err();
    assert!(matches!(error, CallbackError::UnknownKey { id: 1 }), "{error}");
}

#[test]
fn keys_are_rotated_without_losing_a_callback() {
    let old = address();
    let both = CallbackKeys::new(key(2)).accept(key(1)).unwrap();
    let rotated = CallbackEndpoint::new(BASE, both.clone()).unwrap();
    let new = rotated.address_for("push_income", Some(UID)).unwrap();
    assert_eq!(verdict(&rotated, old.path(), &TestCallback::new(&old).body()), "ok");
    assert_eq!(verdict(&rotated, new.path(), &TestCallback::new(&new).body()), "ok");
    assert_eq!(verdict(&endpoint(), new.path(), "{}"), "unknown key");
    assert!(both.accept(key(1)).is_err(), "an identifier names one secret");
}

#[test]
fn an_expired_callback_is_told_apart_and_is_still_there() {
    let endpoint = endpoint().lifetime(Duration::from_secs(60));
    let address = endpoint.address_for("push_income", Some(UID)).unwrap();
    let sent = TestCallback::new(&address);
    let now = SystemTime::now();
    assert!(endpoint.verify_at(sent.path(), sent.body(), now + Duration::from_secs(50)).is_ok());
    let error = endpoint.verify_at(sent.path(), sent.body(), now + Duration::from_secs(70)).unwrap_err();
    assert_eq!(error.kind(), "expired");
    assert_eq!(error.into_expired().unwrap().message(), Some("done"));
}

#[test]
fn a_callback_that_was_replayed_for_another_request_is_an_error() {
    let endpoint = endpoint();
    let own = address();
    let other_uid = endpoint.address_for("push_income", Some("another-business")).unwrap();
    let other_operation = endpoint.address_for("push_expense", Some(UID)).unwrap();
    let same_but_later = endpoint.address_for("push_income", Some(UID)).unwrap();
    for (address, member) in [(&other_uid, "uid"), (&other_operation, "type"), (&same_but_later, "webhook")] {
        let error = endpoint.verify(own.path(), TestCallback::new(address).body()).unwrap_err();
        assert!(matches!(&error, CallbackError::Contradicted { member: found, .. } if *found == member), "{error}");
    }
    // Names that the library does not know, and nulls, contradict nothing.
    let received = json!({ "webhook": "https://elsewhere.example/", "uid": null, "type": "feed" });
    assert_eq!(verdict(&endpoint, own.path(), &TestCallback::new(&own).with("received", received).body()), "ok");
}

#[test]
fn a_different_signature_is_reported_and_a_missing_one_is_not_a_failure() {
    let address = address();
    for (signature, echo) in [
        (json!("mine"), SignatureEcho::Different),
        (json!("AAAAAAAAAAAAAAAAAAAAAA"), SignatureEcho::Different),
        (json!(address.signature()[1..]), SignatureEcho::Different),
        (json!(""), SignatureEcho::Different),
        (json!(null), SignatureEcho::Missing),
    ] {
        let sent = TestCallback::new(&address).with("signature", signature);
        assert_eq!(endpoint().verify(sent.path(), sent.body()).unwrap().signature_echo(), echo, "{}", sent.body());
    }
}

#[test]
fn nothing_that_is_printed_shows_an_address_or_a_secret() {
    let address = address();
    let endpoint = endpoint();
    let sent = TestCallback::new(&address);
    let callback = endpoint.verify(sent.path(), sent.body()).unwrap();
    let error = endpoint.verify(sent.path(), TestCallback::new(&self::address()).body()).unwrap_err();
    let token = address.path().rsplit('/').next().unwrap();
    for text in [format!("{address:?}"), format!("{endpoint:?}"), format!("{callback:?}"), format!("{error:?} {error}")]
    {
        for secret in [token, &token[10..30], address.signature(), "a secret"] {
            assert!(!text.contains(secret), "{text}");
        }
    }
    assert!(format!("{address:?}").contains("https://partner.example/callbacks/[hidden]"));
}

#[test]
fn a_base_url_or_key_that_cannot_be_used_is_an_error_with_a_reason() {
    let long = format!("https://partner.example/{}", "a".repeat(200));
    for (base, reason) in [
        ("partner.example", "is not a URL"),
        ("http://partner.example", "must begin with https://"),
        ("ftp://partner.example", "must begin with https://"),
        ("https://user:pass@partner.example", "has a user or password"),
        ("https://partner.example/?a=b", "has a `?` or `#`"),
        ("https://partner.example/#a", "has a `?` or `#`"),
        ("https://partner.example/a b", "other characters"),
        ("https://partner.example/a//b", "empty segment"),
        (long.as_str(), "shorter public base URL"),
    ] {
        let error = CallbackEndpoint::new(base, key(1)).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains(reason), "{base}: {error}");
    }
    for base in ["http://localhost:8080", "http://127.0.0.1:1/a/", "https://partner.example/~a/b-c_d.e/"] {
        assert!(CallbackEndpoint::new(base, key(1)).is_ok(), "{base}");
    }
    let uid = "u".repeat(200);
    assert!(endpoint().address_for("push_income", Some(&uid)).is_err());
    for secret in ["", "23 bytes, one too short", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"] {
        assert!(CallbackKey::new(1, secret).is_err(), "{secret}");
    }
}

proptest! {
    #[test]
    fn an_address_has_only_unreserved_characters_and_at_most_255_of_them(uid in "\\PC{0,40}", operation in 0..OPERATIONS.len()) {
        if let Ok(address) = endpoint().address_for(OPERATIONS[operation].id, Some(&uid)) {
            prop_assert!(address.as_str().len() <= 255);
            let path = address.path();
            prop_assert!(path.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte)), "{path}");
            let callback = endpoint().verify(path, "{}").unwrap();
            prop_assert_eq!(callback.uid(), Some(uid.as_str()).filter(|uid| !uid.is_empty()));
        }
    }

    #[test]
    fn no_path_and_no_body_make_verify_panic(path in "\\PC*", token in "[A-Za-z0-9_%-]{0,200}", body in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(endpoint().verify(&path, body.clone()).is_err());
        let made_up = format!("/cb1_{token}");
        prop_assert!(endpoint().verify(&made_up, body.clone()).is_err());
        let callback = endpoint().verify(address().path(), body.clone()).unwrap();
        prop_assert_eq!(&callback.bytes()[..], &body[..]);
    }
}
