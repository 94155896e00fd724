//! What is delivered to a webhook. Assumed: the crate's documentation tells the shape.

use std::time::{Duration, UNIX_EPOCH};

use serde::{Deserialize, Serialize};
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
    /// Whether the request could not be carried out.
    fn failed(&self) -> bool {
        #[derive(Deserialize)]
        struct Said {
            error: Option<bool>,
        }
        serde_json::from_str::<Said>(self.response.get()).is_ok_and(|said| said.error == Some(true))
    }

    /// The body, the same at each attempt.
    pub(crate) fn body(&self) -> serde_json::Result<Vec<u8>> {
        let created = UNIX_EPOCH + Duration::from_millis(self.created.try_into().unwrap_or(0));
        let timestamp = humantime::format_rfc3339_millis(created).to_string();
        serde_json::to_vec(&Envelope {
            date: timestamp.split('T').next().unwrap_or_default(),
            timestamp: &timestamp,
            signature: self.signature.as_deref(),
            status: if self.failed() { "error" } else { "success" },
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

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn the_status_follows_the_response() -> serde_json::Result<()> {
        for (response, status) in [
            (r#"{"error":true,"message":"m"}"#, "error"),
            (r#"{"error":false}"#, "success"),
            (r#"{"error":null}"#, "success"),
            ("{}", "success"),
        ] {
            let callback = Callback {
                id: 1,
                operation: "push_settlement".to_owned(),
                direction: "push".to_owned(),
                webhook: "http://127.0.0.1/".to_owned(),
                uid: None,
                signature: None,
                response: serde_json::from_str(response)?,
                created: 0,
                attempts: 0,
            };
            assert_eq!(serde_json::from_slice::<Value>(&callback.body()?)?["status"], status, "{response}");
        }
        Ok(())
    }
}
