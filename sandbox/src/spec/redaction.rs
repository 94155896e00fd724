//! Removes secrets from JSON, and keeps every digit as it was written.

use std::{collections::BTreeMap, fmt};

use business_data_connector_document::Document;
use serde::{
    Deserialize, Serialize,
    de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor},
};
use serde_json::{
    Value,
    value::{RawValue, to_raw_value},
};

/// What replaces a secret.
const HIDDEN: &str = "[hidden]";

/// What happens to the value of a key that the document does not define.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unknown {
    /// It is hidden, since it may be a secret under a misspelt name.
    Hidden,
    Shown,
}

/// Each property of the document by its name in lower case, with its `x-sensitive`: `value` or `query`.
pub(crate) struct Redaction(BTreeMap<String, Option<String>>);

impl Redaction {
    pub(crate) fn of(document: &Document) -> Self {
        let schemas = document.as_value()["components"]["schemas"].as_object().into_iter().flatten();
        let properties = schemas.flat_map(|(_, schema)| schema["properties"].as_object().into_iter().flatten());
        // The token of a new business is in replies and callbacks, which no document describes.
        let mut marks = BTreeMap::from([("token".to_owned(), Some("value".to_owned()))]);
        for (name, property) in properties {
            let mark = marks.entry(name.to_lowercase()).or_default();
            *mark = property["x-sensitive"].as_str().map(str::to_owned).or(mark.take());
        }
        Self(marks)
    }

    /// A JSON text without its secrets.
    pub(crate) fn redacted(&self, text: &RawValue, unknown: Unknown) -> Box<RawValue> {
        match serde_json::from_str(text.get()) {
            Ok(value) => self.redacted_as(text.get(), &value, unknown),
            Err(_) => json(HIDDEN),
        }
    }

    /// The same, for a text whose value is known already. The value says which type comes next, so that the text is
    /// read once, and each number copied as text.
    pub(crate) fn redacted_as(&self, text: &str, value: &Value, unknown: Unknown) -> Box<RawValue> {
        let mut redacted = String::with_capacity(text.len());
        let mut deserializer = serde_json::Deserializer::from_str(text);
        let written = Writer { redaction: self, unknown, value, out: &mut redacted }.deserialize(&mut deserializer);
        // An error means that the text is not that of the value.
        written.and_then(|()| RawValue::from_string(redacted)).unwrap_or_else(|_| json(HIDDEN))
    }
}

/// Copies one value of the text, without its secrets.
struct Writer<'a> {
    redaction: &'a Redaction,
    unknown: Unknown,
    value: &'a Value,
    out: &'a mut String,
}

impl<'de> DeserializeSeed<'de> for Writer<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        match self.value {
            Value::Object(_) => deserializer.deserialize_map(self),
            Value::Array(_) => deserializer.deserialize_seq(self),
            _ => {
                let scalar = <&RawValue>::deserialize(deserializer)?.get();
                if scalar.starts_with(['{', '[']) {
                    return Err(D::Error::custom("the text is not that of the value"));
                }
                self.out.push_str(scalar);
                Ok(())
            }
        }
    }
}

impl<'de> Visitor<'de> for Writer<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the text of the value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let Self { redaction, unknown, value, out } = self;
        out.push('{');
        let mut separator = "";
        while let Some(key) = members.next_key::<String>()? {
            out.push_str(separator);
            separator = ",";
            out.push_str(json(&key).get());
            out.push(':');
            let value = &value[&key];
            match redaction.0.get(&key.to_lowercase()).map(Option::as_deref) {
                Some(None) => members.next_value_seed(Writer { redaction, unknown, value, out })?,
                None if unknown == Unknown::Shown => {
                    members.next_value_seed(Writer { redaction, unknown, value, out })?;
                }
                Some(Some("query")) => {
                    members.next_value::<IgnoredAny>()?;
                    out.push_str(json(&without_query(value.as_str().unwrap_or_default())).get());
                }
                Some(Some(_)) | None => {
                    members.next_value::<IgnoredAny>()?;
                    out.push_str(json(HIDDEN).get());
                }
            }
        }
        out.push('}');
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let Self { redaction, unknown, value, out } = self;
        out.push('[');
        for (index, value) in value.as_array().into_iter().flatten().enumerate() {
            if index > 0 {
                out.push(',');
            }
            items.next_element_seed(Writer { redaction, unknown, value, out })?;
        }
        out.push(']');
        Ok(())
    }
}

/// Strings are always serializable.
fn json<T: Serialize + ?Sized>(value: &T) -> Box<RawValue> {
    to_raw_value(value).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

/// An address without what may grant access to it.
pub(crate) fn without_query(address: &str) -> String {
    match address.split_once(['?', '#']) {
        // The `@` may follow a password.
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
    fn secrets_are_hidden_at_any_depth_and_every_digit_is_kept() -> Result<(), Box<dyn std::error::Error>> {
        let redaction = Redaction::of(&Document::parse(DOCUMENT)?);
        let text = r#"{"ApiKey":"s","data":[{"amount":9007199254740993.10,"appid":{"a":"s"},"x":1}],"webhook":"http://h/p?s"}"#;
        let value: Box<RawValue> = serde_json::from_str(text)?;
        let shown = r#"{"ApiKey":"[hidden]","data":[{"amount":9007199254740993.10,"appid":"[hidden]","x":1}],"webhook":"http://h/p?[hidden]"}"#;
        assert_eq!(redaction.redacted(&value, Unknown::Shown).get(), shown);
        assert_eq!(redaction.redacted(&value, Unknown::Hidden).get(), shown.replace("\"x\":1", r#""x":"[hidden]""#));
        Ok(())
    }

    #[test]
    fn any_json_is_redacted_to_itself_when_it_has_no_secret() -> Result<(), Box<dyn std::error::Error>> {
        let redaction = Redaction::of(&Document::parse(DOCUMENT)?);
        for text in ["null", "true", "-1.50e+2", r#""a\u0000\"b""#, "[]", "{}", r#"[[],{},[1.0,"x",null]]"#] {
            let value: Box<RawValue> = serde_json::from_str(text)?;
            assert_eq!(redaction.redacted(&value, Unknown::Hidden).get(), text);
        }
        Ok(())
    }
}
