//! Which records a body carries, read off the document: no operation is named here.

use std::collections::BTreeMap;

use business_data_connector_document::{Document, Operation};
use serde_json::{Value, value::RawValue};

use crate::Record;

/// Where the records of a request are.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    /// `data` is a record of this kind.
    One(String),
    /// `data` is a list of records of this kind.
    List(String),
    /// `data` is an object whose properties are lists of records, each of its kind.
    Lists(BTreeMap<String, String>),
}

impl Shape {
    /// `None` for an operation without `data`.
    pub(crate) fn of(document: &Document, operation: &Operation) -> Option<Self> {
        let schemas = &document.as_value()["components"]["schemas"];
        let data = &schemas[&operation.request]["properties"]["data"];
        if data["type"] == "array" {
            return referred(&data["items"]).map(Self::List);
        }
        let name = referred(data)?;
        let lists: Option<BTreeMap<_, _>> = schemas[&name]["properties"]
            .as_object()?
            .iter()
            .map(|(property, schema)| Some((property.clone(), referred(&schema["items"])?)))
            .collect();
        Some(lists.map_or(Self::One(name), Self::Lists))
    }

    /// The records in `data`, every digit as it was sent.
    ///
    /// # Errors
    /// When `data` has another shape, which the schema does not let through.
    pub(crate) fn records(&self, data: &RawValue) -> serde_json::Result<Vec<Record>> {
        Ok(match self {
            Self::One(kind) => vec![Record::new(kind, data.to_owned())],
            Self::List(kind) => list(kind, data)?,
            Self::Lists(kinds) => {
                let mut lists: BTreeMap<String, Box<RawValue>> = serde_json::from_str(data.get())?;
                let mut records = Vec::new();
                for (property, kind) in kinds {
                    if let Some(data) = lists.remove(property) {
                        records.extend(list(kind, &data)?);
                    }
                }
                records
            }
        })
    }
}

/// The records of a list of one kind.
pub(crate) fn list(kind: &str, data: &RawValue) -> serde_json::Result<Vec<Record>> {
    let records: Vec<Box<RawValue>> = serde_json::from_str(data.get())?;
    Ok(records.into_iter().map(|data| Record::new(kind, data)).collect())
}

/// The component that a property refers to, directly or in an `allOf` of one.
fn referred(schema: &Value) -> Option<String> {
    let target = schema["$ref"].as_str().or_else(|| schema["allOf"][0]["$ref"].as_str())?;
    target.rsplit('/').next().map(str::to_owned)
}
