//! One member of a JSON object, without keeping the others.

use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The text of a member; `None` for an object that does not have it, and for anything but an object.
pub(crate) fn member<'a>(object: &'a str, name: &str) -> Option<&'a RawValue> {
    serde_json::Deserializer::from_str(object).deserialize_map(Object(name)).ok().flatten()
}

struct Object<'n>(&'n str);

impl<'de> Visitor<'de> for Object<'_> {
    type Value = Option<&'de RawValue>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(is_named) = members.next_key_seed(IsNamed(self.0))? {
            if is_named {
                found = Some(members.next_value()?);
            } else {
                members.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}

/// Whether a key is the name.
struct IsNamed<'n>(&'n str);

impl<'de> DeserializeSeed<'de> for IsNamed<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        std::borrow::Cow::<'de, str>::deserialize(deserializer).map(|key| key == self.0)
    }
}
