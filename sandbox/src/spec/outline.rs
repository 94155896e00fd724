//! Reads a body against its schema in one pass, and keeps little of it.
//!
//! A parsed value takes many times the memory of its text: `{"":0}` nearly a hundred times. So what the schema does not
//! define is not kept, and each item of a list is validated as soon as it is read, and not kept either.

use std::{
    borrow::Cow,
    collections::HashSet,
    fmt,
    hash::{BuildHasher, RandomState},
};

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use super::{
    mistakes::{UnknownKey, joined, reasons},
    shape::{List, Shape},
};
use crate::refusal::{MAX_REASONS, Reason, shortened};

/// What was found while a body was read.
#[derive(Default)]
pub(super) struct Findings {
    /// What is wrong with the items of its lists.
    pub(super) reasons: Vec<Reason>,
    /// The keys that the schema does not define.
    pub(super) unknown: Vec<UnknownKey>,
    /// The first notes that ask for a fault.
    pub(super) notes: Option<String>,
}

/// A value as it is read.
pub(super) struct Reader<'a> {
    pub(super) keep: Keep<'a>,
    pub(super) at: At<'a>,
    pub(super) found: &'a mut Findings,
}

/// What is kept of a value.
#[derive(Clone, Copy)]
pub(super) enum Keep<'a> {
    /// What the shape has; of a list nothing but that it is one.
    Shape(&'a Shape),
    /// The same for a list; its items are validated.
    List(&'a List),
    /// Text, and the type of anything else.
    Text,
    Nothing,
}

/// A location, from the inside out.
#[derive(Clone, Copy)]
pub(super) enum At<'a> {
    Root,
    Key(&'a At<'a>, &'a str),
    Index(&'a At<'a>, usize),
}

impl fmt::Display for At<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => Ok(()),
            Self::Key(outer, key) => f.write_str(&joined(outer, key)),
            Self::Index(outer, index) => write!(f, "{outer}/{index}"),
        }
    }
}

impl Reader<'_> {
    fn keeps_scalars(&self) -> bool {
        !matches!(self.keep, Keep::Nothing)
    }

    fn scalar(&self, value: impl Into<Value>) -> Value {
        if self.keeps_scalars() { value.into() } else { Value::Null }
    }
}

impl<'de> DeserializeSeed<'de> for Reader<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Reader<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(self.scalar(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(self.scalar(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(self.scalar(value))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        let number = Number::from_f64(value).ok_or_else(|| E::custom("number out of range"))?;
        Ok(self.scalar(Value::Number(number)))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(self.scalar(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let Self { keep, at, found } = self;
        let mut kept = Vec::new();
        for index in 0.. {
            let at = At::Index(&at, index);
            // Once there are enough reasons, more would not be reported.
            let left = MAX_REASONS.saturating_sub(found.reasons.len());
            let keep_item = match keep {
                Keep::List(list) if left > 0 => nested(&list.items),
                Keep::Shape(Shape::Any) => keep,
                _ => Keep::Nothing,
            };
            let Some(item) = items.next_element_seed(Reader { keep: keep_item, at, found })? else { break };
            match keep {
                Keep::List(list) if left > 0 && !list.validator.is_valid(&item) => {
                    found.reasons.extend(reasons(&list.validator, &item, &at.to_string()).take(left));
                }
                Keep::Shape(Shape::Any) => kept.push(item),
                _ => {}
            }
        }
        Ok(Value::Array(kept))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let Self { keep, at: outer, found } = self;
        // Hashes take a third of the memory of keys. That two of the millions of keys that fit into a body share one of
        // 64 bits, under a secret that changes with each object, is not to be expected.
        let (mut kept, mut keys, hasher) = (Map::new(), HashSet::new(), RandomState::new());
        while let Some(Key(key)) = members.next_key::<Key<'de>>()? {
            if !keys.insert(hasher.hash_one(&key)) {
                return Err(A::Error::custom(format!("duplicate key `{}`", shortened(key))));
            }
            let at = At::Key(&outer, &key);
            let keep_member = match keep {
                Keep::Shape(Shape::Object(properties)) => match properties.get(key.as_ref()) {
                    Some(shape) => nested(shape),
                    None => {
                        if found.unknown.len() < MAX_REASONS {
                            found.unknown.push(UnknownKey::new(outer.to_string(), &key, properties.keys()));
                        }
                        Keep::Nothing
                    }
                },
                Keep::Shape(Shape::Any) => keep,
                _ => Keep::Nothing,
            };
            let is_kept = !matches!(keep_member, Keep::Nothing);
            let is_notes = found.notes.is_none() && key == "notes";
            let keep_member = if is_notes && !is_kept { Keep::Text } else { keep_member };
            let value = members.next_value_seed(Reader { keep: keep_member, at, found })?;
            if let Some(notes) = value.as_str().filter(|notes| is_notes && notes.contains("sandbox:")) {
                found.notes.get_or_insert_with(|| notes.to_owned());
            }
            if is_kept {
                kept.insert(key.into_owned(), value);
            }
        }
        Ok(Value::Object(kept))
    }
}

/// What is kept of a value with a shape.
pub(super) fn nested(shape: &Shape) -> Keep<'_> {
    match shape {
        Shape::List(list) => Keep::List(list),
        shape => Keep::Shape(shape),
    }
}

/// A key, borrowed from the text where it has no escapes.
struct Key<'de>(Cow<'de, str>);

impl<'de> serde::Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(KeyVisitor)
    }
}

struct KeyVisitor;

impl<'de> Visitor<'de> for KeyVisitor {
    type Value = Key<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_borrowed_str<E: Error>(self, key: &'de str) -> Result<Key<'de>, E> {
        Ok(Key(Cow::Borrowed(key)))
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<Key<'de>, E> {
        Ok(Key(Cow::Owned(key.to_owned())))
    }
}
