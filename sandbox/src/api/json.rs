//! JSON read strictly: a key that stands twice means two things to two readers, and is refused.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::reason::shortened;

/// # Errors
/// What is wrong, with line and column; never a value.
pub(crate) fn read(bytes: &[u8]) -> Result<Value, String> {
    let Strict(value) = serde_json::from_slice(bytes).map_err(|e| e.to_string())?;
    Ok(value)
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
                return Err(A::Error::custom(format!("the key `{}` stands twice", shortened(key))));
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
    fn what_is_strict_json_is_read_as_it_is() {
        let text = r#"{"a":[1,-2,0.5,true,null,"\u0000ü"],"b":{"a":{}}}"#;
        assert_eq!(read(text.as_bytes()), Ok(serde_json::from_str(text).unwrap()));
    }

    #[test]
    fn what_is_not_is_refused_with_its_place() {
        let deep = "[".repeat(500);
        for (bytes, wanted) in [
            (&br#"{"a":1,"b":{"c":1,"c":2}}"#[..], "the key `c` stands twice at line 1 column 21"),
            (br#"{"a":1e400}"#, "number out of range at line 1 column 10"),
            (br#"{"a":"\ud800"}"#, "unexpected end of hex escape at line 1 column 13"),
            (b"{\"a\":\"\xff\"}", "invalid unicode code point at line 1 column 7"),
            (b"{\"a\":\"\x00\"}", "control character"),
            (deep.as_bytes(), "recursion limit exceeded"),
            (b"", "EOF while parsing a value at line 1 column 0"),
            (b"{} {}", "trailing characters at line 1 column 4"),
            (b"NaN", "expected value at line 1 column 1"),
        ] {
            let got = read(bytes).err().unwrap_or_default();
            assert!(got.contains(wanted), "{}: {got}", String::from_utf8_lossy(bytes));
        }
    }
}
