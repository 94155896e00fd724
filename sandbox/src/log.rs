//! What was asked and how it was answered, for whoever must debug an answer without content.

use std::{
    collections::{BTreeMap, VecDeque},
    time::SystemTime,
};

use business_data_connector_document::Document;
use serde::Serialize;
use serde_json::{Value, json};

use crate::{Fault, Reason};

/// How many requests are remembered.
const REMEMBERED: usize = 1000;

/// A request as it was answered. It holds no secret.
#[derive(Debug, Clone, Serialize)]
pub struct Request {
    /// Its number since the sandbox was started.
    pub number: u64,
    /// When it was answered, UTC.
    pub at: String,
    /// The operation; or `upload` for a file, `none` for another address or method, `connection` for what is no request of
    /// HTTP/1.1.
    pub operation: String,
    /// The business it names.
    pub uid: Option<String>,
    /// The status of the answer; none for a connection that was reset, or whose sender did not go on.
    pub status: Option<u16>,
    /// Why it was refused.
    pub reasons: Vec<Reason>,
    /// What was borne and may be a mistake.
    pub warnings: Vec<String>,
    /// The fault that was asked for.
    pub fault: Option<Fault>,
    /// Its body, without secrets; none for one that is no JSON or very large.
    pub body: Option<Value>,
}

/// The last requests.
#[derive(Default)]
pub(crate) struct Log {
    requests: VecDeque<Request>,
    answered: u64,
}

impl Log {
    pub(crate) fn add(&mut self, mut request: Request) {
        self.answered += 1;
        request.number = self.answered;
        request.at = humantime::format_rfc3339_millis(SystemTime::now()).to_string();
        self.requests.push_back(request);
        if self.requests.len() > REMEMBERED {
            self.requests.pop_front();
        }
    }

    /// Adds a request that reached no operation of the document.
    pub(crate) fn add_elsewhere(&mut self, operation: &str, status: Option<u16>, reasons: Vec<Reason>) {
        self.add(Request {
            number: 0,
            at: String::new(),
            operation: operation.to_owned(),
            uid: None,
            status,
            reasons,
            warnings: Vec::new(),
            fault: None,
            body: None,
        });
    }

    pub(crate) fn requests(&self) -> impl Iterator<Item = &Request> {
        self.requests.iter()
    }

    pub(crate) fn clear(&mut self) {
        self.requests.clear();
    }
}

/// Takes out of bodies what the document marks as sensitive, and what it does not know: that may be a secret misspelt.
pub(crate) struct Redaction(BTreeMap<String, Option<String>>);

impl Redaction {
    pub(crate) fn of(document: &Document) -> Self {
        let schemas = document.as_value()["components"]["schemas"].as_object().into_iter().flatten();
        let properties = schemas.flat_map(|(_, schema)| schema["properties"].as_object().into_iter().flatten());
        Self(
            properties
                .map(|(name, property)| (name.clone(), property["x-sensitive"].as_str().map(str::to_owned)))
                .collect(),
        )
    }

    pub(crate) fn redacted(&self, value: &Value) -> Value {
        match value {
            Value::Object(members) => {
                let redacted = members.iter().map(|(name, value)| match self.0.get(name).map(Option::as_deref) {
                    Some(None) => (name.clone(), self.redacted(value)),
                    Some(Some("query")) => (name.clone(), json!(without_query(value.as_str().unwrap_or_default()))),
                    Some(Some(_)) | None => (name.clone(), json!("[hidden]")),
                });
                Value::Object(redacted.collect())
            }
            Value::Array(items) => items.iter().map(|item| self.redacted(item)).collect(),
            plain => plain.clone(),
        }
    }
}

/// An address without what may give access.
pub(crate) fn without_query(address: &str) -> String {
    match address.split_once(['?', '#']) {
        // It may be that of a password.
        _ if address.contains('@') => "[hidden]".to_owned(),
        Some((before, _)) => format!("{before}?[hidden]"),
        None => address.to_owned(),
    }
}
