//! The body that is sent to a webhook. Assumed; the crate's documentation describes it.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::{clock::utc, store::callbacks::Callback};

#[derive(Serialize)]
struct Payload<'a> {
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

/// The body of a callback, the same for each delivery attempt.
pub(crate) fn payload(callback: &Callback) -> serde_json::Result<Vec<u8>> {
    let timestamp = utc(callback.created);
    serde_json::to_vec(&Payload {
        date: timestamp.split('T').next().unwrap_or_default(),
        timestamp: &timestamp,
        signature: callback.signature.as_deref(),
        status: if failed(&callback.response) { "error" } else { "success" },
        received: Received {
            webhook: &callback.webhook,
            uid: callback.uid.as_deref(),
            r#type: &callback.operation,
            direction: &callback.direction,
        },
        response: &callback.response,
    })
}

/// Whether the response reports that the request could not be executed.
fn failed(response: &RawValue) -> bool {
    #[derive(Deserialize)]
    struct Flag {
        error: Option<bool>,
    }
    serde_json::from_str::<Flag>(response.get()).is_ok_and(|flag| flag.error == Some(true))
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
            assert_eq!(serde_json::from_slice::<Value>(&payload(&callback)?)?["status"], status, "{response}");
        }
        Ok(())
    }
}
