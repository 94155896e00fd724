//! JSON without secrets, every digit as it was written.

use std::collections::BTreeMap;

use business_data_connector_document::Document;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

/// What is put in place of a secret.
const HIDDEN: &str = "[hidden]";

/// What becomes of the value of a key that is not known.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unknown {
    /// It may be a secret under a misspelt name.
    Hidden,
    Shown,
}

/// What the document says of each property, by its name in lower case: `value` or `query` for a sensitive one.
pub(crate) struct Redaction(BTreeMap<String, Option<String>>);

impl Redaction {
    pub(crate) fn of(document: &Document) -> Self {
        let schemas = document.as_value()["components"]["schemas"].as_object().into_iter().flatten();
        let properties = schemas.flat_map(|(_, schema)| schema["properties"].as_object().into_iter().flatten());
        // What a new business is given is in no document.
        let mut marks = BTreeMap::from([("token".to_owned(), Some("value".to_owned()))]);
        for (name, property) in properties {
            let mark = marks.entry(name.to_lowercase()).or_default();
            *mark = property["x-sensitive"].as_str().map(str::to_owned).or(mark.take());
        }
        Self(marks)
    }

    pub(crate) fn redacted(&self, value: &RawValue, unknown: Unknown) -> Box<RawValue> {
        let text = value.get();
        if text.starts_with('{') {
            let members: BTreeMap<String, &RawValue> = serde_json::from_str(text).unwrap_or_default();
            let member = |(name, value): (String, &RawValue)| {
                let value = match self.0.get(&name.to_lowercase()).map(Option::as_deref) {
                    Some(None) => self.redacted(value, unknown),
                    None if unknown == Unknown::Shown => self.redacted(value, unknown),
                    Some(Some("query")) => {
                        json(&without_query(&serde_json::from_str::<String>(value.get()).unwrap_or_default()))
                    }
                    Some(Some(_)) | None => json(HIDDEN),
                };
                (name, value)
            };
            return json(&members.into_iter().map(member).collect::<BTreeMap<_, _>>());
        }
        if text.starts_with('[') {
            let items: Vec<&RawValue> = serde_json::from_str(text).unwrap_or_default();
            return json(&items.into_iter().map(|item| self.redacted(item, unknown)).collect::<Vec<_>>());
        }
        value.to_owned()
    }
}

/// Texts, lists and objects of JSON are JSON.
fn json<T: Serialize + ?Sized>(value: &T) -> Box<RawValue> {
    to_raw_value(value).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

/// An address without what may give access.
pub(crate) fn without_query(address: &str) -> String {
    match address.split_once(['?', '#']) {
        // It may be that of a password.
        _ if address.contains('@') => HIDDEN.to_owned(),
        Some((before, _)) => format!("{before}?{HIDDEN}"),
        None => address.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use business_data_connector::DOCUMENT;

    use super::*;

    #[test]
    fn secrets_are_hidden_wherever_they_stand_and_every_digit_stays() -> Result<(), Box<dyn std::error::Error>> {
        let redaction = Redaction::of(&Document::parse(DOCUMENT)?);
        let text = r#"{"ApiKey":"s","data":[{"amount":9007199254740993.10,"appid":{"a":"s"},"x":1}],"webhook":"http://h/p?s"}"#;
        let value: Box<RawValue> = serde_json::from_str(text)?;
        let shown = r#"{"ApiKey":"[hidden]","data":[{"amount":9007199254740993.10,"appid":"[hidden]","x":1}],"webhook":"http://h/p?[hidden]"}"#;
        assert_eq!(redaction.redacted(&value, Unknown::Shown).get(), shown);
        assert_eq!(redaction.redacted(&value, Unknown::Hidden).get(), shown.replace("\"x\":1", r#""x":"[hidden]""#));
        Ok(())
    }
}
