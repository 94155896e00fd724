//! The body that is sent to a webhook. Assumed; the crate's documentation describes it.
//!
//! Its fields are those of the document: a field that the document does not have is not sent, and one whose value the
//! sandbox does not know is left out.

use std::collections::BTreeMap;

use business_data_connector_document::{Document, referred};
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};

use crate::{clock::utc, store::callbacks::Callback};

type Fields<'a> = BTreeMap<&'a str, Box<RawValue>>;

/// The body of a callback, the same for each delivery attempt.
pub(crate) fn payload(document: &Document, callback: &Callback, response: &RawValue) -> serde_json::Result<Vec<u8>> {
    let schemas = &document.as_value()["components"]["schemas"];
    let properties = |schema: &str| schemas[schema]["properties"].as_object().into_iter().flatten();
    let mut body = Fields::new();
    for (name, property) in properties(document.callback_envelope().unwrap_or_default()) {
        let value = match referred(property) {
            // What was received is an object of its own.
            Some(schema) => {
                let fields = properties(schema).map(|(name, _)| Ok((name.as_str(), received(name, callback)?)));
                let fields = fields.collect::<serde_json::Result<BTreeMap<_, _>>>()?.into_iter();
                Some(json(&fields.filter_map(|(name, value)| Some((name, value?))).collect::<Fields<'_>>())?)
            }
            None => field(name, callback, response)?,
        };
        if let Some(value) = value {
            body.insert(name, value);
        }
    }
    serde_json::to_vec(&body)
}

/// The value of a field of the envelope.
fn field(name: &str, callback: &Callback, response: &RawValue) -> serde_json::Result<Option<Box<RawValue>>> {
    let timestamp = utc(callback.created);
    Ok(Some(match name {
        "date" => json(&timestamp.split('T').next())?,
        "timestamp" => json(&timestamp)?,
        "signature" => json(&callback.signature)?,
        "status" => json(&if failed(response) { "error" } else { "success" })?,
        "response" => response.to_owned(),
        _ => return Ok(None),
    }))
}

/// The value of a field of what was received. The `appid` is a credential, and so is never sent.
fn received(name: &str, callback: &Callback) -> serde_json::Result<Option<Box<RawValue>>> {
    Ok(Some(match name {
        "webhook" => json(&callback.webhook)?,
        "uid" => json(&callback.uid)?,
        "type" => json(&callback.operation)?,
        "direction" => json(&callback.direction)?,
        _ => return Ok(None),
    }))
}

fn json(value: &impl Serialize) -> serde_json::Result<Box<RawValue>> {
    to_raw_value(value)
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
    use std::{collections::BTreeSet, error::Error};

    use business_data_connector::DOCUMENT;
    use serde_json::{Value, json};

    use super::*;

    fn sent(document: &str, response: &str) -> Result<Value, Box<dyn Error>> {
        let callback = Callback {
            id: 1,
            operation: "push_settlement".to_owned(),
            direction: "push".to_owned(),
            webhook: "http://127.0.0.1/".to_owned(),
            uid: None,
            signature: None,
            size: 0,
            created: 0,
            attempts: 0,
        };
        Ok(serde_json::from_slice(&payload(&Document::parse(document)?, &callback, serde_json::from_str(response)?)?)?)
    }

    #[test]
    fn the_status_follows_the_response() -> Result<(), Box<dyn Error>> {
        for (response, status) in [
            (r#"{"error":true,"message":"m"}"#, "error"),
            (r#"{"error":false}"#, "success"),
            (r#"{"error":null}"#, "success"),
            ("{}", "success"),
        ] {
            assert_eq!(sent(DOCUMENT, response)?["status"], status, "{response}");
        }
        Ok(())
    }

    #[test]
    fn every_field_of_the_document_is_sent_except_for_the_credential() -> Result<(), Box<dyn Error>> {
        let expected = json!({
            "date": "1970-01-01", "timestamp": "1970-01-01T00:00:00.000Z", "signature": null, "status": "success",
            "received": { "webhook": "http://127.0.0.1/", "uid": null, "type": "push_settlement", "direction": "push" },
            "response": { "error": false },
        });
        assert_eq!(sent(DOCUMENT, r#"{"error":false}"#)?, expected);
        let document = Document::parse(DOCUMENT)?;
        let schemas = &document.as_value()["components"]["schemas"];
        let names = |value: &Value| value.as_object().into_iter().flatten().map(|(name, _)| name.clone()).collect();
        let (envelope, sent): (BTreeSet<_>, BTreeSet<_>) =
            (names(&schemas["Callback"]["properties"]), names(&expected));
        assert_eq!(envelope, sent);
        let mut received: BTreeSet<_> = names(&schemas["CallbackReceived"]["properties"]);
        received.retain(|name| name != "appid");
        assert_eq!(received, names(&expected["received"]));
        Ok(())
    }

    #[test]
    fn a_field_that_the_document_does_not_have_is_not_sent() -> Result<(), Box<dyn Error>> {
        let other = DOCUMENT.replacen("        status:\n", "        state:\n", 1).replacen(
            "        direction:\n",
            "        heading:\n",
            1,
        );
        let sent = sent(&other, "{}")?;
        assert!(sent.get("status").is_none() && sent["received"].get("direction").is_none(), "{sent}");
        Ok(())
    }
}
