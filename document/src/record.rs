//! Operations that push one record.

use serde_json::Value;

/// The extension of an operation whose `data` is a record.
pub(crate) const RECORD: &str = "x-record";

/// What is known of the record that an operation pushes: `x-record`. All of it is assumed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The property of `data` that identifies the record within its business.
    pub id: String,
    /// The operation in which the record can travel with others.
    pub batch: Option<Batch>,
    /// The `operationId` of the operation that returns the records of this kind that the service holds.
    pub pulled_by: Option<String>,
}

/// An operation that pushes many records at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// Its `operationId`.
    pub operation: String,
    /// The property of its `data` that lists the records.
    pub member: String,
}

impl Record {
    /// The members of `x-record`, each of which is a text.
    pub(crate) const MEMBERS: [&str; 4] = ["batch", "batch-member", "id", "pulled-by"];

    /// The record of an operation; `None` if it has none, or one that is not complete.
    pub(crate) fn read(operation: &Value) -> Option<Self> {
        let text = |member: &str| operation[RECORD][member].as_str().map(str::to_owned);
        let batch = match (text("batch"), text("batch-member")) {
            (Some(operation), Some(member)) => Some(Batch { operation, member }),
            _ => None,
        };
        Some(Self { id: text("id")?, batch, pulled_by: text("pulled-by") })
    }
}
