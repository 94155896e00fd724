//! What is delivered to a webhook. Assumed: the crate's documentation tells the shape.

use std::time::{Duration, UNIX_EPOCH};

use serde::Serialize;
use serde_json::value::RawValue;

/// A callback that is to be delivered.
pub(crate) struct Callback {
    /// Given by the store.
    pub(crate) id: i64,
    pub(crate) operation: String,
    /// The group of the operation.
    pub(crate) direction: String,
    pub(crate) webhook: String,
    pub(crate) uid: Option<String>,
    pub(crate) signature: Option<String>,
    pub(crate) response: Box<RawValue>,
    /// When the request was carried out, in milliseconds since 1970.
    pub(crate) created: i64,
    /// How often it was tried.
    pub(crate) attempts: u32,
}

#[derive(Serialize)]
struct Envelope<'a> {
    date: &'a str,
    timestamp: &'a str,
    signature: Option<&'a str>,
    status: &'static str,
    received: Received<'a>,
    response: &'a RawValue,
}

#[derive(Serialize)]
struct Received<'a> {
    webhook: &'a str,
    uid: Option<&'a str>,
    r#type: &'a str,
    direction: &'a str,
}

impl Callback {
    /// The body, the same at each attempt.
    pub(crate) fn body(&self) -> serde_json::Result<Vec<u8>> {
        let created = UNIX_EPOCH + Duration::from_millis(self.created.try_into().unwrap_or(0));
        let timestamp = humantime::format_rfc3339_millis(created).to_string();
        serde_json::to_vec(&Envelope {
            date: timestamp.split('T').next().unwrap_or_default(),
            timestamp: &timestamp,
            signature: self.signature.as_deref(),
            status: "success",
            received: Received {
                webhook: &self.webhook,
                uid: self.uid.as_deref(),
                r#type: &self.operation,
                direction: &self.direction,
            },
            response: &self.response,
        })
    }
}
