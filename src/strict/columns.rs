use std::cell::Cell;

use serde::{
    Deserializer,
    de::{DeserializeOwned, Error as _, Visitor, value},
    forward_to_deserialize_any,
};

use super::error::{Error, Location, UnknownKey};

/// Checks the header of a table, such as a CSV file, against the fields of `T`.
///
/// # Errors
/// [`Error::UnknownKeys`] with every column that is not a field of `T`.
pub fn columns<T: DeserializeOwned>(header: impl IntoIterator<Item: AsRef<str>>) -> Result<(), Error> {
    let fields = Cell::new(None);
    // Fails by design: there is nothing to read.
    let _ = T::deserialize(Fields(&fields));
    // Anything but a struct accepts every key.
    let Some(fields) = fields.get() else { return Ok(()) };
    let unknown: Vec<_> = header
        .into_iter()
        .enumerate()
        .filter(|(_, column)| !fields.contains(&column.as_ref()))
        .map(|(index, column)| UnknownKey::new(column.as_ref(), Location::Column(index + 1), fields))
        .collect();
    match unknown.is_empty() {
        true => Ok(()),
        false => Err(Error::UnknownKeys(unknown)),
    }
}

/// Records the fields that a struct asks for.
struct Fields<'a>(&'a Cell<Option<&'static [&'static str]>>);

impl<'de> Deserializer<'de> for Fields<'_> {
    type Error = value::Error;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Self::Error> {
        Err(value::Error::custom("only the fields were asked for"))
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        self.0.set(Some(fields));
        self.deserialize_any(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct seq
        tuple tuple_struct map enum identifier ignored_any
    }
}
