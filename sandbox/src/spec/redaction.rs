//! Removes secrets from JSON, and keeps every digit as it was written.

use std::{collections::BTreeMap, fmt};

use business_data_connector_document::{Document, referred};
use serde::{
    Serialize,
    de::{Deserializer, Error, MapAccess, SeqAccess, Visitor},
};
use serde_json::value::{RawValue, to_raw_value};

/// What replaces a secret.
const HIDDEN: &str = "[hidden]";

/// What happens to the value of a key that the document does not define.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unknown {
    /// It is hidden, since it may be a secret under a misspelt name.
    Hidden,
    Shown,
}

/// What is known of a property.
#[derive(Clone, Copy, Default)]
struct Known {
    sensitive: Option<Sensitive>,
    /// Whether it is an object or a list wherever it is defined, so that a text in its place is something else.
    structured: bool,
}

/// `x-sensitive` in the document.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sensitive {
    Value,
    Query,
}

/// Each property of the document by its name in lower case.
pub(crate) struct Redaction(BTreeMap<String, Known>);

impl Redaction {
    pub(crate) fn of(document: &Document) -> Self {
        let schemas = document.as_value()["components"]["schemas"].as_object().into_iter().flatten();
        let properties = schemas.flat_map(|(_, schema)| schema["properties"].as_object().into_iter().flatten());
        // The token of a new business is in replies and callbacks, which no document describes.
        let token = Known { sensitive: Some(Sensitive::Value), structured: false };
        let mut known = BTreeMap::from([("token".to_owned(), token)]);
        for (name, property) in properties {
            let structured =
                referred(property).is_some() || property["type"] == "array" || property["type"] == "object";
            let entry = known.entry(name.to_lowercase()).or_insert(Known { sensitive: None, structured });
            entry.structured &= structured;
            match property["x-sensitive"].as_str() {
                None => {}
                Some("query") => entry.sensitive = entry.sensitive.or(Some(Sensitive::Query)),
                Some(_) => entry.sensitive = Some(Sensitive::Value),
            }
        }
        Self(known)
    }

    /// A JSON text without its secrets.
    pub(crate) fn redacted(&self, text: &RawValue, unknown: Unknown) -> Box<RawValue> {
        let mut redacted = String::with_capacity(text.get().len());
        let written = Writer { redaction: self, unknown, out: &mut redacted }.write(text, unknown == Unknown::Hidden);
        written.and_then(|()| RawValue::from_string(redacted)).unwrap_or_else(|_| json(HIDDEN))
    }

    /// The same for a text that may not be JSON, of which nothing is then shown.
    pub(crate) fn redacted_text(&self, text: &str, unknown: Unknown) -> Box<RawValue> {
        serde_json::from_str(text).map_or_else(|_| json(HIDDEN), |text: &RawValue| self.redacted(text, unknown))
    }

    /// Whether a text may hold a secret that its place does not show: encoded JSON, or the name of a secret with its
    /// value.
    fn is_suspicious(&self, text: &str) -> bool {
        if text.trim_start().starts_with(['{', '[', '"']) {
            return true;
        }
        if !text.contains([':', '=']) {
            return false;
        }
        let text = text.to_lowercase();
        let names = self.0.iter().filter(|(_, known)| known.sensitive == Some(Sensitive::Value));
        names.into_iter().any(|(name, _)| {
            text.match_indices(name.as_str()).any(|(at, _)| {
                let rest = text[at + name.len()..].trim_start_matches(['"', '\'', '\\', ' ']);
                rest.starts_with([':', '='])
            })
        })
    }
}

/// Copies values without their secrets, and each number as it is written.
struct Writer<'a> {
    redaction: &'a Redaction,
    unknown: Unknown,
    out: &'a mut String,
}

impl Writer<'_> {
    /// Writes a value; `hidden` if a text in this place is not one that the document defines.
    fn write(&mut self, value: &RawValue, hidden: bool) -> serde_json::Result<()> {
        let text = value.get();
        let mut deserializer = serde_json::Deserializer::from_str(text);
        match text.as_bytes().first() {
            Some(b'{') => (&mut deserializer).deserialize_map(self),
            Some(b'[') => (&mut deserializer).deserialize_seq(Items { writer: self, hidden }),
            Some(b'"') if hidden || self.is_hidden(text) => {
                self.out.push_str(json(HIDDEN).get());
                Ok(())
            }
            _ => {
                self.out.push_str(text);
                Ok(())
            }
        }
    }

    fn is_hidden(&self, text: &str) -> bool {
        serde_json::from_str::<String>(text).map_or(true, |text| self.redaction.is_suspicious(&text))
    }
}

impl<'de> Visitor<'de> for &mut Writer<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        self.out.push('{');
        let mut separator = "";
        while let Some(key) = members.next_key::<String>()? {
            self.out.push_str(separator);
            separator = ",";
            let known = self.redaction.0.get(&key.to_lowercase()).copied();
            let is_shown = known.is_some() || !self.redaction.is_suspicious(&key);
            self.out.push_str(json(if is_shown { key.as_str() } else { HIDDEN }).get());
            self.out.push(':');
            let value = members.next_value::<&RawValue>()?;
            match known {
                Some(Known { sensitive: None, structured }) => self.write(value, structured),
                None if self.unknown == Unknown::Shown => self.write(value, false),
                Some(Known { sensitive: Some(Sensitive::Query), .. }) => {
                    let address: String = serde_json::from_str(value.get()).unwrap_or_default();
                    self.out.push_str(json(&without_query(&address)).get());
                    Ok(())
                }
                _ => {
                    self.out.push_str(json(HIDDEN).get());
                    Ok(())
                }
            }
            .map_err(A::Error::custom)?;
        }
        self.out.push('}');
        Ok(())
    }
}

struct Items<'a, 'b> {
    writer: &'a mut Writer<'b>,
    hidden: bool,
}

impl<'de> Visitor<'de> for Items<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        self.writer.out.push('[');
        let mut separator = "";
        while let Some(item) = items.next_element::<&RawValue>()? {
            self.writer.out.push_str(separator);
            separator = ",";
            self.writer.write(item, self.hidden).map_err(A::Error::custom)?;
        }
        self.writer.out.push(']');
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
        for text in ["null", "true", "-1.50e+2", "[]", "{}", r#"[[],{"notes":"a\u0000\"b: c"},[1.0,null]]"#] {
            let value: Box<RawValue> = serde_json::from_str(text)?;
            assert_eq!(redaction.redacted(&value, Unknown::Hidden).get(), text);
        }
        Ok(())
    }

    #[test]
    fn what_was_encoded_twice_or_stands_where_no_text_is_defined_is_hidden() -> Result<(), Box<dyn std::error::Error>> {
        let redaction = Redaction::of(&Document::parse(DOCUMENT)?);
        for text in [
            r#""{\"apikey\":\"c4n4ry\"}""#,
            r#""YXBpa2V5OiBjNG40cnk= c4n4ry""#,
            r#"["c4n4ry",["c4n4ry"]]"#,
            r#"{"data":"c4n4ry"}"#,
            r#"{"data":[" {\"apikey\":\"c4n4ry\"}"]}"#,
            r#"{"data":{"notes":"\"{\\\"appid\\\":\\\"c4n4ry\\\"}\""}}"#,
            r#"{"data":{"notes":"uid=u&apikey=c4n4ry&x=y"}}"#,
            r#"{"data":{"name":"'ApiKey' : 'c4n4ry'"}}"#,
            r#"{"{\"apikey\":\"c4n4ry\"}":1}"#,
        ] {
            let value: Box<RawValue> = serde_json::from_str(text)?;
            let shown = redaction.redacted(&value, Unknown::Hidden);
            assert!(shown.get().contains("[hidden]") && !shown.get().contains("c4n4ry"), "{text}: {shown}");
        }
        Ok(())
    }
}
