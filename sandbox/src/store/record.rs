use serde::de::DeserializeOwned;
use serde_json::value::RawValue;

/// A record as it was pushed.
#[derive(Debug, Clone)]
pub struct Record {
    pub(crate) kind: String,
    /// What it is known by, if it has an `id`.
    pub(crate) id: Option<String>,
    pub(crate) data: Box<RawValue>,
}

impl Record {
    /// The name of its schema in the document: `IncomeRecord`.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// What it is known by: a record with the same takes its place.
    pub fn id(&self) -> Option<&str> {
        self.id.as_deref()
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
}
