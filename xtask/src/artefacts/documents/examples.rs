//! The whole-body examples of requests and callbacks.
//!
//! They are only in the generated documents. In `connector.yaml` they would be written by hand, for each operation, and
//! repeat the examples of the fields.

use std::collections::BTreeMap;

use super::super::vectors::{Body, Example, of_callback, of_request};
use business_data_connector_document::Document;

/// The document with examples beside the schema of every body.
pub fn added(document: &Document) -> Body {
    let mut whole = Body::from(document.as_value());
    for operation in document.operations() {
        let post = ["paths", operation.path.as_str(), "post"];
        whole = with_examples(whole, &post, &of_request(document, operation));
        let callbacks = document.as_value()["paths"][&operation.path]["post"]["callbacks"].as_object();
        let callbacks = callbacks.into_iter().flatten().flat_map(|(name, callback)| {
            callback.as_object().into_iter().flatten().map(move |(address, _)| (name.as_str(), address.as_str()))
        });
        for (name, address) in callbacks {
            let post = [&post[..], &["callbacks", name, address, "post"]].concat();
            whole = with_examples(whole, &post, &of_callback(document, operation));
        }
    }
    whole
}

fn with_examples(document: Body, post: &[&str], examples: &[Example]) -> Body {
    let members = examples.iter().map(|Example { name, summary, body }| {
        let example = [("summary".to_owned(), Body::text(summary)), ("value".to_owned(), body.clone())];
        (name.clone(), Body::Object(example.into()))
    });
    let path = [post, &["requestBody", "content", "application/json", "examples"]].concat();
    document.with(&path, Body::Object(members.collect::<BTreeMap<_, _>>()))
}
