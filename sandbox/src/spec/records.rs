//! Which records a request body carries, and what identifies each: read from the document, so that no operation is
//! named here.

use std::collections::BTreeMap;

use business_data_connector_document::{Document, Operation, referred};
use serde_json::value::RawValue;

use crate::store::Record;

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

    /// The records in `data`, with every digit as it was sent.
    ///
    /// # Errors
    /// When `data` has another layout, which the schema does not permit.
    pub(crate) fn records(&self, data: &str) -> serde_json::Result<Vec<Record>> {
        Ok(match self {
            Self::One(record_type) => vec![record_type.record(serde_json::from_str(data)?)],
            Self::List(record_type) => record_type.list(data)?,
            Self::Lists(types) => {
                let lists: BTreeMap<String, &RawValue> = serde_json::from_str(data)?;
                let mut records = Vec::new();
                for (property, record_type) in types {
                    if let Some(data) = lists.get(property) {
                        records.extend(record_type.list(data.get())?);
                    }
                }
                records
            }
        })
    }
}

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

    fn record(&self, data: Box<RawValue>) -> Record {
        Record { record_type: self.name.clone(), id: self.id_of(&data), data }
    }

    /// The records of a JSON array of this type.
    pub(crate) fn list(&self, data: &str) -> serde_json::Result<Vec<Record>> {
        let records: Vec<Box<RawValue>> = serde_json::from_str(data)?;
        Ok(records.into_iter().map(|data| self.record(data)).collect())
    }

    fn id_of(&self, data: &RawValue) -> Option<String> {
        let mut value = data;
        for name in self.id.as_ref()? {
            let members: BTreeMap<String, &RawValue> = serde_json::from_str(value.get()).ok()?;
            value = members.get(name).copied()?;
        }
        serde_json::from_str(value.get()).ok()
    }
}
