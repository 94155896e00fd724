//! Writes a number as JSON text, and reads the text of one, without a detour through a [`RawValue`].

use std::{cell::Cell, fmt, sync::LazyLock};

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, DeserializeSeed, IgnoredAny, MapAccess, Visitor, value},
    forward_to_deserialize_any,
    ser::{self, SerializeStruct},
};
use serde_json::value::RawValue;

use super::number::Decimal;

/// Writes the text of a JSON number with a serializer of `serde_json`.
///
/// The public way is a [`RawValue`], which can be made only by parsing the text again; that takes as long as the number
/// itself.
pub(super) fn write<S: Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    match name() {
        Some(name) => Verbatim { name, text }.serialize(serializer),
        None => write_parsed(text, serializer),
    }
}

/// Reads a JSON value with a deserializer of `serde_json`, as its text. The public way allocates a [`RawValue`].
pub(super) fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Decimal, D::Error> {
    match name() {
        Some(name) => deserializer.deserialize_newtype_struct(name, Text),
        None => read_allocated(deserializer),
    }
}

fn read_allocated<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Decimal, D::Error> {
    Box::<RawValue>::deserialize(deserializer)?.get().parse().map_err(de::Error::custom)
}

/// The name by which `serde_json` recognizes a [`RawValue`], a struct with a name that only `serde_json` knows. It is
/// private, so a `RawValue` is asked for it once, and both directions are tried; if one fails, the public way is used.
fn name() -> Option<&'static str> {
    static NAME: LazyLock<Option<&'static str>> = LazyLock::new(|| {
        const SAMPLE: &str = "-1.50";
        let name = name_of_raw_value()?;
        let written = serde_json::to_string(&Verbatim { name, text: SAMPLE }).ok()?;
        let read = serde_json::Deserializer::from_str(SAMPLE).deserialize_newtype_struct(name, Text).ok()?;
        (written == SAMPLE && read.to_string() == SAMPLE).then_some(name)
    });
    *NAME
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

/// Reads the number from the text that `serde_json` shows as the only member of a map.
struct Text;

impl<'de> Visitor<'de> for Text {
    type Value = Decimal;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a decimal number")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Decimal, A::Error> {
        members.next_key::<IgnoredAny>()?;
        members.next_value_seed(self)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Decimal, E> {
        text.parse().map_err(E::custom)
    }
}

impl<'de> DeserializeSeed<'de> for Text {
    type Value = Decimal;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Decimal, D::Error> {
        deserializer.deserialize_str(self)
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
        assert!(name().is_some());
    }

    #[test]
    fn both_ways_to_read_a_number_read_the_same() {
        for text in ["-100.10", "1e3", "\"5\"", "null", "[1]", "1e999", "12345678901234567890.123456789"] {
            let read = read(&mut serde_json::Deserializer::from_str(text)).map_err(|e| e.to_string());
            let allocated = read_allocated(&mut serde_json::Deserializer::from_str(text)).map_err(|e| e.to_string());
            assert_eq!(read, allocated, "{text}");
        }
    }
}
