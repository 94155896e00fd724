use std::{cell::RefCell, fmt};

use serde::{
    Deserializer,
    de::{
        DeserializeOwned, DeserializeSeed, Error as _, IntoDeserializer, MapAccess, SeqAccess, Visitor,
        value::MapAccessDeserializer,
    },
};
use serde_json::value::RawValue;

use super::error::{Error, Location, UnknownKey};

/// Reads JSON text, and rejects keys that no field has.
///
/// # Errors
/// [`Error::Json`] if the text is not JSON or does not match the type; otherwise [`Error::UnknownKeys`] with all
/// unknown keys, if there are any.
pub fn from_str<T: DeserializeOwned>(json: &str) -> Result<T, Error> {
    // First as usual, for errors with line and column, then again to find the keys that this ignored.
    let value = serde_json::from_str(json).map_err(Error::Json)?;
    let document = Document { json, found: RefCell::default() };
    let root: &RawValue = serde_json::from_str(json).map_err(Error::Json)?;
    let node = Node { text: root.get(), document: &document, pointer: None, siblings: &[] };
    T::deserialize(node).map_err(Error::Json)?;
    match document.found.into_inner() {
        keys if keys.is_empty() => Ok(value),
        keys => Err(Error::UnknownKeys(keys)),
    }
}

/// Reads JSON in UTF-8, as [`from_str`] does.
///
/// # Errors
/// As [`from_str`].
pub fn from_slice<T: DeserializeOwned>(json: &[u8]) -> Result<T, Error> {
    from_str(std::str::from_utf8(json).map_err(|error| Error::Json(serde_json::Error::custom(error)))?)
}

struct Document<'de> {
    json: &'de str,
    found: RefCell<Vec<UnknownKey>>,
}

/// A value in the document. `serde_json` reads it; what its objects and arrays hold is handed out as nodes again.
#[derive(Clone, Copy)]
struct Node<'a, 'de> {
    text: &'de str,
    document: &'a Document<'de>,
    /// `None` for the root.
    pointer: Option<Pointer<'a>>,
    /// The fields of the struct that this is a member of.
    siblings: &'static [&'static str],
}

#[derive(Clone, Copy)]
struct Pointer<'a> {
    parent: Option<&'a Pointer<'a>>,
    step: Step<'a>,
}

#[derive(Clone, Copy)]
enum Step<'a> {
    Key(&'a str),
    Index(usize),
}

impl fmt::Display for Pointer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(parent) = self.parent {
            parent.fmt(f)?;
        }
        match self.step {
            Step::Key(key) => write!(f, "/{}", key.replace('~', "~0").replace('/', "~1")),
            Step::Index(index) => write!(f, "/{index}"),
        }
    }
}

impl<'de> Node<'_, 'de> {
    fn is_container(&self) -> bool {
        self.text.starts_with(['{', '['])
    }

    fn read<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        is_enum: bool,
        visitor: V,
    ) -> Result<V::Value, serde_json::Error> {
        let container = Container { node: self, fields, is_enum, visitor };
        serde_json::Deserializer::from_str(self.text).deserialize_any(container)
    }

    /// Records a member that its struct ignores.
    fn record_ignored(&self) {
        let Some(pointer) = self.pointer else { return };
        let Step::Key(key) = pointer.step else { return };
        // A field that discards its value is known.
        if self.siblings.contains(&key) {
            return;
        }
        // The node's text is a slice of the document's.
        let offset = (self.text.as_ptr() as usize).saturating_sub(self.document.json.as_ptr() as usize);
        let before = self.document.json.as_bytes().get(..offset).unwrap_or_default();
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        let location = Location::Json { pointer: pointer.to_string(), line };
        self.document.found.borrow_mut().push(UnknownKey::new(key, location, self.siblings));
    }
}

/// Passes an object or an array on to the visitor, with nodes for what is in it.
struct Container<'a, 'de, V> {
    node: Node<'a, 'de>,
    fields: &'static [&'static str],
    is_enum: bool,
    visitor: V,
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Container<'_, 'de, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.visitor.expecting(f)
    }

    fn visit_map<A: MapAccess<'de>>(self, access: A) -> Result<V::Value, A::Error> {
        let members = Members { access, node: self.node, fields: self.fields, key: String::new() };
        match self.is_enum {
            true => self.visitor.visit_enum(MapAccessDeserializer::new(members)),
            false => self.visitor.visit_map(members),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, access: A) -> Result<V::Value, A::Error> {
        self.visitor.visit_seq(Items { access, node: self.node, index: 0 })
    }
}

struct Members<'a, 'de, A> {
    access: A,
    node: Node<'a, 'de>,
    fields: &'static [&'static str],
    key: String,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Members<'_, 'de, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        let Some(key) = self.access.next_key()? else { return Ok(None) };
        self.key = key;
        seed.deserialize(self.key.as_str().into_deserializer()).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        let raw: &'de RawValue = self.access.next_value()?;
        let pointer = Pointer { parent: self.node.pointer.as_ref(), step: Step::Key(&self.key) };
        let node =
            Node { text: raw.get(), document: self.node.document, pointer: Some(pointer), siblings: self.fields };
        seed.deserialize(node).map_err(A::Error::custom)
    }
}

struct Items<'a, 'de, A> {
    access: A,
    node: Node<'a, 'de>,
    index: usize,
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Items<'_, 'de, A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        let Some(raw) = self.access.next_element::<&'de RawValue>()? else { return Ok(None) };
        let pointer = Pointer { parent: self.node.pointer.as_ref(), step: Step::Index(self.index) };
        self.index += 1;
        let node = Node { text: raw.get(), document: self.node.document, pointer: Some(pointer), siblings: &[] };
        seed.deserialize(node).map(Some).map_err(A::Error::custom)
    }
}

/// Methods for values that hold no other values.
macro_rules! read_by_serde_json {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
            serde_json::Deserializer::from_str(self.text).$method(visitor)
        }
    )*};
}

impl<'de> Deserializer<'de> for Node<'_, 'de> {
    type Error = serde_json::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        match self.is_container() {
            true => self.read(&[], false, visitor),
            false => serde_json::Deserializer::from_str(self.text).deserialize_any(visitor),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        self.read(fields, false, visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        match self.text {
            "null" => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        match self.is_container() {
            true => visitor.visit_newtype_struct(self),
            // `serde_json` knows the names under which its own types ask for the digits of a number.
            false => serde_json::Deserializer::from_str(self.text).deserialize_newtype_struct(name, visitor),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        match self.is_container() {
            true => self.read(&[], true, visitor),
            false => serde_json::Deserializer::from_str(self.text).deserialize_enum(name, variants, visitor),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        self.record_ignored();
        visitor.visit_unit()
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        self.deserialize_any(visitor)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        self.deserialize_any(visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Self::Error> {
        self.deserialize_any(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        self.deserialize_any(visitor)
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Self::Error> {
        self.deserialize_unit(visitor)
    }

    read_by_serde_json! {
        deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128 deserialize_u8
        deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128 deserialize_f32 deserialize_f64 deserialize_char
        deserialize_str deserialize_string deserialize_bytes deserialize_byte_buf deserialize_unit deserialize_identifier
    }
}
