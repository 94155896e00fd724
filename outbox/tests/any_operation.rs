//! Nothing in the outbox is written for a single operation: what the document describes can be enqueued.

#![allow(clippy::unwrap_used, reason = "the helpers of a test may fail it, as the test may")]

use std::path::Path;

use business_data_connector::{Effect, Request, RequestVisitor, visit_requests};
use business_data_connector_outbox::Staged;
use serde_json::Value;

/// The fullest valid body of an operation, without what a connector and a worker add.
fn body(operation: &str) -> Value {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../openapi/vectors/{operation}.json"));
    let vectors: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
    let valid = vectors.into_iter().filter(|vector| vector["valid"] == true);
    let mut body = valid.max_by_key(|vector| vector["body"].to_string().len()).unwrap()["body"].take();
    for name in ["apikey", "appid", "webhook", "signature"] {
        body.as_object_mut().unwrap().remove(name);
    }
    body
}

#[derive(Default)]
struct Staging {
    staged: Vec<&'static str>,
    refused: Vec<(&'static str, String)>,
}

impl RequestVisitor for Staging {
    fn visit<R: Request>(&mut self) {
        let id = R::OPERATION.id;
        // A pull requires a webhook, and has no place here anyway.
        if R::OPERATION.effect == Effect::Read {
            return;
        }
        let request: R = serde_json::from_value(body(id)).unwrap();
        match Staged::new(&request) {
            Ok(staged) => {
                assert_eq!((staged.operation(), staged.uid()), (id, request.envelope().uid.unwrap_or_default()));
                self.staged.push(id);
            }
            Err(error) => self.refused.push((id, error.to_string())),
        }
    }
}

#[test]
fn every_operation_that_writes_can_be_enqueued_unless_its_request_grants_access() {
    let mut staging = Staging::default();
    visit_requests(&mut staging);
    assert!(staging.staged.len() >= 11, "{:?}", staging.staged);
    for (operation, problem) in staging.refused {
        assert!(problem.contains("may grant access to whoever has it"), "{operation}: {problem}");
    }
}

#[test]
fn a_request_without_an_id_can_have_a_key_of_the_callers() {
    let request = business_data_connector::types::PushSettlementRequest::new("demo-business", Vec::new());
    let staged = Staged::new(&request).unwrap();
    assert_eq!(staged.record_id(), None);
    assert_eq!(staged.clone().keyed("2026-03-31").record_id(), Some("2026-03-31"));
    let with_id = business_data_connector::types::PushIncomeRequest::new(
        "demo-business",
        business_data_connector::types::IncomeRecord::new().id("INV-1"),
    );
    assert_eq!(Staged::new(&with_id).unwrap().keyed("other").record_id(), Some("INV-1"));
}
