use std::io;

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ValueRef};
use serde_json::value::RawValue;

use crate::error::Error;

/// Why something could not be stored or read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StoreError {
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    /// The sandbox validated or wrote the text itself, so this is a defect.
    #[error("a stored text is not the expected JSON: {0}")]
    Json(#[from] serde_json::Error),
    #[error(
        "it has version {found} of the sandbox's tables, and this sandbox reads up to version {newest}; use a newer one"
    )]
    Newer { found: i32, newest: i32 },
    #[error("it is not a data file of the sandbox, and was left unchanged")]
    NotOurs,
    #[error("cannot read it: {0}")]
    File(io::Error),
    #[error("its thread cannot be started: {0}")]
    Thread(io::Error),
    #[error("its thread has ended")]
    Ended,
    /// A transaction that was not committed, and the first error in it.
    #[error("nothing was stored: {0}")]
    NotCommitted(String),
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        Self::Store { problem: error.to_string() }
    }
}

pub(crate) type Result<T, E = StoreError> = std::result::Result<T, E>;

/// A column that holds JSON text.
pub(super) struct Json(pub(super) Box<RawValue>);

impl FromSql for Json {
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        RawValue::from_string(value.as_str()?.to_owned()).map(Self).map_err(FromSqlError::other)
    }
}
