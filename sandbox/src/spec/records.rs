//! Which records a body carries and what each is known by, read off the document: no operation is named here.

use std::collections::BTreeMap;

use business_data_connector_document::{Document, Operation, referred};
use serde_json::value::RawValue;

use crate::Record;

/// A kind of record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Kind {
    /// The name of its schema.
    pub(crate) name: String,
    /// Where its `id` is: its own, or that of the one object in it that has one.
    id: Option<Vec<String>>,
}

/// Where the records of a request are.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    /// `data` is a record of this kind.
    One(Kind),
    /// `data` is a list of records of this kind.
    List(Kind),
    /// `data` is an object whose properties are lists of records, each of its kind.
    Lists(BTreeMap<String, Kind>),
}

impl Shape {
    /// `None` for an operation without `data`.
    pub(crate) fn of(document: &Document, operation: &Operation) -> Option<Self> {
        let schemas = &document.as_value()["components"]["schemas"];
        let data = &schemas[&operation.request]["properties"]["data"];
        if data["type"] == "array" {
            return referred(&data["items"]).map(|name| Self::List(Kind::of(document, name)));
        }
        let name = referred(data)?;
        let lists: Option<BTreeMap<_, _>> = schemas[name]["properties"]
            .as_object()?
            .iter()
            .map(|(property, schema)| Some((property.clone(), Kind::of(document, referred(&schema["items"])?))))
            .collect();
        Some(lists.map_or_else(|| Self::One(Kind::of(document, name)), Self::Lists))
    }

    /// The records in `data`, every digit as it was sent.
    ///
    /// # Errors
    /// When `data` has another shape, which the schema does not let through.
    pub(crate) fn records(&self, data: &str) -> serde_json::Result<Vec<Record>> {
        Ok(match self {
            Self::One(kind) => vec![kind.record(serde_json::from_str(data)?)],
            Self::List(kind) => kind.list(data)?,
            Self::Lists(kinds) => {
                let mut lists: BTreeMap<String, Box<RawValue>> = serde_json::from_str(data)?;
                let mut records = Vec::new();
                for (property, kind) in kinds {
                    if let Some(data) = lists.remove(property) {
                        records.extend(kind.list(data.get())?);
                    }
                }
                records
            }
        })
    }
}

impl Kind {
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
        Record { kind: self.name.clone(), id: self.id_of(&data), data }
    }

    /// The records of a list of this kind.
    pub(crate) fn list(&self, data: &str) -> serde_json::Result<Vec<Record>> {
        let records: Vec<Box<RawValue>> = serde_json::from_str(data)?;
        Ok(records.into_iter().map(|data| self.record(data)).collect())
    }

    fn id_of(&self, data: &RawValue) -> Option<String> {
        let (last, objects) = self.id.as_ref()?.split_last()?;
        let member = |object: &str, name: &String| {
            let members: BTreeMap<String, &RawValue> = serde_json::from_str(object).ok()?;
            members.get(name).map(|value| value.get().to_owned())
        };
        let object = objects.iter().try_fold(data.get().to_owned(), |object, name| member(&object, name))?;
        serde_json::from_str(&member(&object, last)?).ok()
    }
}
