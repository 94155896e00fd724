//! The identifiers in what a pull returned.

use std::{collections::HashSet, fmt};

use serde::{
    Deserializer,
    de::{DeserializeSeed, MapAccess, SeqAccess, Visitor},
};

/// The texts and integers of every member with this name, at any depth. Where records are in what a pull returns is
/// observed and not specified.
///
/// # Errors
/// If it is not JSON.
pub(crate) fn identifiers(json: &[u8], name: &str) -> Result<HashSet<String>, serde_json::Error> {
    let mut found = HashSet::new();
    let mut deserializer = serde_json::Deserializer::from_slice(json);
    deserializer.deserialize_any(Search { name, is_member: false, found: &mut found })?;
    deserializer.end()?;
    Ok(found)
}

struct Search<'a> {
    name: &'a str,
    /// Whether the value is that of the member.
    is_member: bool,
    found: &'a mut HashSet<String>,
}

impl Search<'_> {
    fn add(self, value: impl fmt::Display) {
        if self.is_member {
            self.found.insert(value.to_string());
        }
    }
}

impl<'de> DeserializeSeed<'de> for Search<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Search<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        self.add(text);
        Ok(())
    }

    fn visit_u64<E>(self, number: u64) -> Result<(), E> {
        self.add(number);
        Ok(())
    }

    fn visit_i64<E>(self, number: i64) -> Result<(), E> {
        self.add(number);
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        while items.next_element_seed(Search { name: self.name, is_member: false, found: self.found })?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        while let Some(key) = members.next_key::<String>()? {
            let is_member = key == self.name;
            members.next_value_seed(Search { name: self.name, is_member, found: self.found })?;
        }
        Ok(())
    }
}
