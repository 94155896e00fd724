use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

use crate::{DEMO_BUSINESS, Refusal};

/// A record as it was pushed.
#[derive(Debug, Clone)]
pub struct Record {
    kind: String,
    data: Box<RawValue>,
}

impl Record {
    pub(crate) fn new(kind: &str, data: Box<RawValue>) -> Self {
        Self { kind: kind.to_owned(), data }
    }

    /// The name of its schema in the document: `IncomeRecord`.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// The JSON text, every digit as it was sent.
    pub fn as_str(&self) -> &str {
        self.data.get()
    }

    /// The record as a type of its kind.
    ///
    /// # Errors
    /// When it is not of that type.
    pub fn json<T: DeserializeOwned>(&self) -> serde_json::Result<T> {
        serde_json::from_str(self.data.get())
    }

    pub(crate) fn data(&self) -> &RawValue {
        &self.data
    }
}

/// The members of a business, as they were sent.
pub(crate) type BusinessData = BTreeMap<String, Box<RawValue>>;

/// A linked business and what was pushed for it.
#[derive(Default)]
pub(crate) struct Business {
    pub(crate) data: BusinessData,
    pub(crate) records: Vec<Record>,
    /// Files that an upload address was given for, by name; `None` until the file was put there.
    pub(crate) uploads: BTreeMap<String, Option<Box<RawValue>>>,
}

impl Business {
    pub(crate) fn email(&self) -> Option<String> {
        serde_json::from_str(self.data.get("email")?.get()).ok()
    }
}

/// Everything that is kept, in memory.
pub(crate) struct Store {
    pub(crate) businesses: BTreeMap<String, Business>,
    pub(crate) refusals: Vec<Refusal>,
    issued: u64,
}

impl Default for Store {
    fn default() -> Self {
        let businesses = BTreeMap::from([(DEMO_BUSINESS.to_owned(), Business::default())]);
        Self { businesses, refusals: Vec::new(), issued: 0 }
    }
}

impl Store {
    /// A name that was not given before: `business-1`.
    pub(crate) fn issue(&mut self, what: &str) -> String {
        self.issued += 1;
        format!("{what}-{}", self.issued)
    }
}
