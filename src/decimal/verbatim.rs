//! Writes a number as JSON text, without having `serde_json` parse it first.

use std::{cell::Cell, sync::LazyLock};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, Visitor, value},
    forward_to_deserialize_any,
    ser::{self, SerializeStruct},
};
use serde_json::value::RawValue;

/// Writes the text of a JSON number with a serializer of `serde_json`.
///
/// The public way is a [`RawValue`], which can be made only by parsing the text again; that takes as long as the number
/// itself. A `RawValue` in turn is a struct whose name only `serde_json` knows. The name is private, so a `RawValue` is
/// asked for it once, and the result is tried; if either fails, numbers are written the public way.
pub(super) fn write<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    static NAME: LazyLock<Option<&'static str>> = LazyLock::new(|| {
        const SAMPLE: &str = "-1.50";
        let name = name_of_raw_value()?;
        let written = serde_json::to_string(&Verbatim { name, text: SAMPLE }).ok()?;
        (written == SAMPLE).then_some(name)
    });

    match *NAME {
        Some(name) => Verbatim { name, text }.serialize(serializer),
        None => write_parsed(text, serializer),
    }
}

fn write_parsed<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serde_json::from_str::<&RawValue>(text).map_err(ser::Error::custom)?.serialize(serializer)
}

struct Verbatim<'a> {
    name: &'static str,
    text: &'a str,
}

impl Serialize for Verbatim<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut raw = serializer.serialize_struct(self.name, 1)?;
        raw.serialize_field(self.name, self.text)?;
        raw.end()
    }
}

fn name_of_raw_value() -> Option<&'static str> {
    let name = Cell::new(None);
    // Fails by design: there is nothing to read.
    let _ = Box::<RawValue>::deserialize(Name(&name));
    name.get()
}

/// Records the name that a newtype asks for.
struct Name<'a>(&'a Cell<Option<&'static str>>);

impl<'de> Deserializer<'de> for Name<'_> {
    type Error = value::Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Self::Error> {
        Err(de::Error::custom("only the name was asked for"))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        self.0.set(Some(name));
        self.deserialize_any(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct seq
        tuple tuple_struct map struct enum identifier ignored_any
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_to_write_a_number_write_the_same() {
        let mut written = Vec::new();
        write("-100.10", &mut serde_json::Serializer::new(&mut written)).unwrap();
        let mut parsed = Vec::new();
        write_parsed("-100.10", &mut serde_json::Serializer::new(&mut parsed)).unwrap();
        assert_eq!((written.as_slice(), parsed.as_slice()), (&b"-100.10"[..], &b"-100.10"[..]));
        assert!(name_of_raw_value().is_some());
    }
}
