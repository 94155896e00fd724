//! Strict JSON: a duplicate key, which readers understand differently, is refused.

use std::fmt;

use axum::body::Bytes;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value, value::RawValue};

use crate::refusal::shortened;

/// A body that is strict JSON, with its text and its value. It is parsed once, and borrowed wherever it is needed.
pub(crate) struct Parsed {
    bytes: Bytes,
    value: Value,
}

impl Parsed {
    /// # Errors
    /// What is wrong, with line and column; never a value.
    pub(crate) fn parse(bytes: Bytes) -> Result<Self, String> {
        let Strict(value) = serde_json::from_slice(&bytes).map_err(|e| e.to_string())?;
        Ok(Self { bytes, value })
    }

    /// For everything but the digits of numbers, which a `Value` does not keep.
    pub(crate) fn value(&self) -> &Value {
        &self.value
    }

    /// The text as it was received. Strict JSON is UTF-8.
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.bytes).unwrap_or_default()
    }

    /// The text of `data`, if the body is an object that has it.
    pub(crate) fn data(&self) -> Option<&str> {
        #[derive(serde::Deserialize)]
        struct Members<'a> {
            #[serde(borrow)]
            data: Option<&'a RawValue>,
        }
        // An array is read as a struct, too.
        self.value.is_object().then_some(())?;
        let members: Members<'_> = serde_json::from_slice(&self.bytes).ok()?;
        members.data.map(RawValue::get)
    }
}

struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StrictVisitor).map(Self)
    }
}

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("number out of range"))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Strict(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = members.next_key::<String>()? {
            if object.contains_key(&key) {
                return Err(A::Error::custom(format!("duplicate key `{}`", shortened(key))));
            }
            let Strict(value) = members.next_value()?;
            object.insert(key, value);
        }
        Ok(Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strict_json_has_its_value_its_text_and_the_text_of_its_data() {
        let text = r#"{"a":[1,-2,0.5,true,null,"\u0000ü"],"data" : { "a": 1.10 }}"#;
        let parsed = Parsed::parse(Bytes::from_static(text.as_bytes())).unwrap();
        assert_eq!(*parsed.value(), serde_json::from_str::<Value>(text).unwrap());
        assert_eq!((parsed.text(), parsed.data()), (text, Some(r#"{ "a": 1.10 }"#)));
        assert!(Parsed::parse(Bytes::from_static(b"[1]")).unwrap().data().is_none());
    }

    #[test]
    fn anything_else_is_refused_with_its_location() {
        let deep = "[".repeat(500);
        for (bytes, expected) in [
            (&br#"{"a":1,"b":{"c":1,"c":2}}"#[..], "duplicate key `c` at line 1 column 21"),
            (br#"{"a":1e400}"#, "number out of range at line 1 column 10"),
            (br#"{"a":"\ud800"}"#, "unexpected end of hex escape at line 1 column 13"),
            (b"{\"a\":\"\xff\"}", "invalid unicode code point at line 1 column 7"),
            (b"{\"a\":\"\x00\"}", "control character"),
            (deep.as_bytes(), "recursion limit exceeded"),
            (b"", "EOF while parsing a value at line 1 column 0"),
            (b"{} {}", "trailing characters at line 1 column 4"),
            (b"NaN", "expected value at line 1 column 1"),
        ] {
            let got = Parsed::parse(Bytes::copy_from_slice(bytes)).err().unwrap_or_default();
            assert!(got.contains(expected), "{}: {got}", String::from_utf8_lossy(bytes));
        }
    }
}
