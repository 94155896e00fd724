//! Every SQL statement on the responses that callbacks report.
//!
//! A large response is stored apart from its callback, once for all callbacks that report the same, and only until the
//! last of them is finished.

use std::hash::{DefaultHasher, Hash, Hasher};

use rusqlite::{Connection, OptionalExtension, params};
use serde_json::value::RawValue;

use super::error::{Json, Result};

/// The largest response that is stored with its callback, in bytes; one that is larger is not shown either.
pub(crate) const MAX_INLINE: usize = 16 * 1024;

/// Stores a large response, unless it is stored already, and returns its number.
pub(super) fn share(db: &Connection, response: &str) -> Result<i64> {
    let mut hasher = DefaultHasher::new();
    response.hash(&mut hasher);
    let hash = hasher.finish().cast_signed();
    let mut statement = db.prepare_cached("SELECT id FROM responses WHERE hash = ?1 AND text = ?2")?;
    if let Some(id) = statement.query_row(params![hash, response], |row| row.get(0)).optional()? {
        return Ok(id);
    }
    let mut statement = db.prepare_cached("INSERT INTO responses (hash, text) VALUES (?1, ?2)")?;
    Ok(statement.insert(params![hash, response])?)
}

/// Removes a large response that no callback reports any more.
pub(super) fn release(db: &Connection, id: i64) -> Result<()> {
    let mut statement = db.prepare_cached(
        "DELETE FROM responses WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM callbacks WHERE large = ?1)",
    )?;
    statement.execute([id])?;
    Ok(())
}

/// The response that a callback reports; none if the callback was removed, or is finished and had a large one.
pub(crate) fn response(db: &Connection, callback: i64) -> Result<Option<Box<RawValue>>> {
    let mut statement = db.prepare_cached(
        "SELECT ifnull(response, (SELECT text FROM responses WHERE responses.id = callbacks.large)) AS response
         FROM callbacks WHERE id = ?1",
    )?;
    let read = |row: &rusqlite::Row<'_>| row.get::<_, Option<Json>>("response");
    Ok(statement.query_row([callback], read).optional()?.flatten().map(|json| json.0))
}
