//! Which records a request body carries, and what identifies each: read from the document, so that no operation is
//! named here.

use std::{collections::BTreeMap, fmt};

use business_data_connector_document::{Document, Operation, referred};
use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::member::member;
use crate::store::{Record, Result};

/// The type of the records in an uploaded file.
pub(crate) const UPLOADED: &str = "SettlementEntry";

/// A type of record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RecordType {
    /// The name of its schema.
    name: String,
    /// The path of its `id`: its own, or that of the only object in it that has one.
    id: Option<Vec<String>>,
}

/// Where the records of a request are.
#[derive(Clone, Debug)]
pub(crate) enum Layout {
    /// `data` is a record.
    One(RecordType),
    /// `data` is a list of records.
    List(RecordType),
    /// `data` is an object whose properties are lists of records, each of its type.
    Lists(BTreeMap<String, RecordType>),
}

impl Layout {
    /// `None` for an operation without `data`.
    pub(crate) fn of(document: &Document, operation: &Operation) -> Option<Self> {
        let schemas = &document.as_value()["components"]["schemas"];
        let data = &schemas[&operation.request]["properties"]["data"];
        if data["type"] == "array" {
            return referred(&data["items"]).map(|name| Self::List(RecordType::of(document, name)));
        }
        let name = referred(data)?;
        let lists: Option<BTreeMap<_, _>> = schemas[name]["properties"]
            .as_object()?
            .iter()
            .map(|(property, schema)| Some((property.clone(), RecordType::of(document, referred(&schema["items"])?))))
            .collect();
        Some(lists.map_or_else(|| Self::One(RecordType::of(document, name)), Self::Lists))
    }

    /// Passes the records in `data` on, with every digit as it was sent, one after the other.
    ///
    /// # Errors
    /// When `data` has another layout, which the schema does not permit; or when they cannot be stored.
    pub(crate) fn records(&self, data: &str, store: &mut Put<'_>) -> Result<()> {
        match self {
            Self::One(record_type) => {
                store(&mut std::iter::once(record_type.record(serde_json::from_str::<&RawValue>(data)?)))
            }
            Self::List(record_type) => record_type.list(data, store),
            Self::Lists(types) => {
                for (property, record_type) in types {
                    if let Some(data) = member(data, property) {
                        record_type.list(data.get(), store)?;
                    }
                }
                Ok(())
            }
        }
    }
}

/// Stores records.
type Put<'a> = dyn FnMut(&mut dyn Iterator<Item = Record>) -> Result<()> + 'a;

impl RecordType {
    pub(crate) fn of(document: &Document, name: &str) -> Self {
        let schemas = &document.as_value()["components"]["schemas"];
        let has_id = |name: &str| schemas[name]["properties"].get("id").is_some();
        let own = has_id(name).then(|| vec!["id".to_owned()]);
        let inner = || {
            let properties = schemas[name]["properties"].as_object().into_iter().flatten();
            let mut with_id = properties.filter(|(_, schema)| referred(schema).is_some_and(has_id));
            match (with_id.next(), with_id.next()) {
                (Some((property, _)), None) => Some(vec![property.clone(), "id".to_owned()]),
                _ => None,
            }
        };
        Self { name: name.to_owned(), id: own.or_else(inner) }
    }

    fn record(&self, data: &RawValue) -> Record {
        Record { record_type: self.name.clone(), id: self.id_of(data), data: data.to_owned() }
    }

    /// Passes the records of a JSON array of this type on.
    ///
    /// # Errors
    /// As [`Layout::records`].
    pub(crate) fn list(&self, data: &str, store: &mut Put<'_>) -> Result<()> {
        let mut deserializer = serde_json::Deserializer::from_str(data);
        let mut stored = Ok(());
        let read = (&mut deserializer).deserialize_seq(Items { record_type: self, store, stored: &mut stored });
        stored.and_then(|()| Ok(read?))
    }

    fn id_of(&self, data: &RawValue) -> Option<String> {
        let mut value = data;
        for name in self.id.as_ref()? {
            value = member(value.get(), name)?;
        }
        serde_json::from_str(value.get()).ok()
    }
}

/// Passes the items of a list on, a few at a time, so that a long list takes little memory.
struct Items<'a, 'b> {
    record_type: &'a RecordType,
    store: &'a mut Put<'b>,
    /// The first error of the store.
    stored: &'a mut Result<()>,
}

impl<'de> Visitor<'de> for Items<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of records")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        const AT_ONCE: usize = 256;

        let mut records = Vec::with_capacity(AT_ONCE);
        loop {
            let item = items.next_element::<&RawValue>()?;
            let is_last = item.is_none();
            records.extend(item.map(|data| self.record_type.record(data)));
            if is_last || records.len() == AT_ONCE {
                *self.stored = (self.store)(&mut records.drain(..));
            }
            if self.stored.is_err() {
                return Err(A::Error::custom("it cannot be stored"));
            }
            if is_last {
                return Ok(());
            }
        }
    }
}
