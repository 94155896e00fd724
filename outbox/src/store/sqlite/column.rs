//! Reads a column.

use rusqlite::Row;

use crate::State;

/// The state in a column.
pub(super) fn state(row: &Row<'_>, column: usize) -> rusqlite::Result<State> {
    let code: i64 = row.get(column)?;
    State::from_code(code).ok_or(rusqlite::Error::IntegralValueOutOfRange(column, code))
}
