//! Every SQL statement on callbacks and their delivery attempts.

use rusqlite::{Connection, Row, params};
use serde_json::value::RawValue;

use super::error::{Json, Result};
use crate::clock::now;

/// A callback to deliver.
pub(crate) struct Callback {
    /// Assigned by the store.
    pub(crate) id: i64,
    pub(crate) operation: String,
    /// The tag of the operation, such as `push`.
    pub(crate) direction: String,
    pub(crate) webhook: String,
    pub(crate) uid: Option<String>,
    pub(crate) signature: Option<String>,
    pub(crate) response: Box<RawValue>,
    /// When the request was executed, in milliseconds since 1970.
    pub(crate) created: i64,
    /// The number of delivery attempts so far.
    pub(crate) attempts: u32,
}

impl Callback {
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            id: row.get("id")?,
            operation: row.get("operation")?,
            direction: row.get("direction")?,
            webhook: row.get("webhook")?,
            uid: row.get("uid")?,
            signature: row.get("signature")?,
            response: row.get::<_, Json>("response")?.0,
            created: row.get("created")?,
            attempts: row.get("attempts")?,
        })
    }
}

/// What a callback waits for in addition to its due time.
#[derive(Clone, Copy)]
pub(crate) enum Hold {
    None,
    /// The delivery of any later callback of the same business, which releases it before its due time.
    UntilOvertaken,
    /// The end of this callback, delivered or discarded.
    UntilFinished(i64),
}

/// Adds a callback that is due at a time, or only when its hold is released, and returns its id.
pub(crate) fn add_callback(db: &Connection, callback: &Callback, due: Option<i64>, hold: Hold) -> Result<i64> {
    let mut statement = db.prepare_cached(
        "INSERT INTO callbacks (operation, direction, webhook, uid, signature, response, created, due, held, behind)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    )?;
    let Callback { operation, direction, webhook, uid, signature, response, created, .. } = callback;
    let (held, behind) = match hold {
        Hold::None => (false, None),
        Hold::UntilOvertaken => (true, None),
        Hold::UntilFinished(other) => (true, Some(other)),
    };
    let response = response.get();
    Ok(statement
        .insert(params![operation, direction, webhook, uid, signature, response, created, due, held, behind])?)
}

/// The callbacks that are due, longest wait first.
pub(crate) fn due_callbacks(db: &Connection, now: i64, limit: usize) -> Result<Vec<Callback>> {
    let mut statement = db.prepare_cached(
        "SELECT id, operation, direction, webhook, uid, signature, response, created,
                (SELECT count(*) FROM attempts WHERE callback = callbacks.id) AS attempts
         FROM callbacks WHERE due <= ?1 AND under_way = 0 ORDER BY due, id LIMIT ?2",
    )?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    Ok(statement.query_map(params![now, limit], Callback::from_row)?.collect::<Result<_, _>>()?)
}

/// How a delivery attempt ended.
pub(crate) struct AttemptOutcome {
    pub(crate) delivered: bool,
    pub(crate) message: String,
}

/// Records a delivery attempt; without a next attempt the callback is finished.
pub(crate) fn add_attempt(
    db: &Connection,
    id: i64,
    at: i64,
    outcome: &AttemptOutcome,
    next: Option<i64>,
) -> Result<()> {
    let AttemptOutcome { delivered, message } = outcome;
    db.prepare_cached("INSERT INTO attempts (callback, at, outcome) VALUES (?1, ?2, ?3)")?
        .execute(params![id, at, message])?;
    db.prepare_cached("UPDATE callbacks SET due = ?2, under_way = 0, held = 0, delivered = ?3 WHERE id = ?1")?
        .execute(params![id, next, delivered])?;
    if *delivered {
        db.prepare_cached(
            "UPDATE callbacks SET due = ?1, held = 0 WHERE held = 1
             AND behind IS NULL AND id < ?2 AND uid IS (SELECT uid FROM callbacks WHERE id = ?2)",
        )?
        .execute(params![at, id])?;
    }
    if next.is_none() {
        db.prepare_cached("UPDATE callbacks SET due = ?1, held = 0 WHERE held = 1 AND behind = ?2")?
            .execute(params![at, id])?;
    }
    Ok(())
}

/// A callback and its progress.
pub(crate) struct CallbackRow {
    pub(crate) id: i64,
    pub(crate) operation: String,
    pub(crate) uid: Option<String>,
    pub(crate) webhook: String,
    pub(crate) response: Box<RawValue>,
    pub(crate) due: Option<i64>,
    pub(crate) held: bool,
    pub(crate) delivered: bool,
}

impl CallbackRow {
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            id: row.get("id")?,
            operation: row.get("operation")?,
            uid: row.get("uid")?,
            webhook: row.get("webhook")?,
            response: row.get::<_, Json>("response")?.0,
            due: row.get("due")?,
            held: row.get("held")?,
            delivered: row.get("delivered")?,
        })
    }
}

/// The last callbacks, oldest first.
pub(crate) fn last_callbacks(db: &Connection, limit: usize) -> Result<Vec<CallbackRow>> {
    let mut statement = db.prepare_cached(
        "SELECT id, operation, uid, webhook, response, due, held, delivered FROM callbacks ORDER BY id DESC LIMIT ?1",
    )?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut callbacks: Vec<_> = statement.query_map([limit], CallbackRow::from_row)?.collect::<Result<_, _>>()?;
    callbacks.reverse();
    Ok(callbacks)
}

/// The delivery attempts of a callback: when, in milliseconds since 1970, and how each ended.
pub(crate) fn attempts(db: &Connection, callback: i64) -> Result<Vec<(i64, String)>> {
    let mut statement = db.prepare_cached("SELECT at, outcome FROM attempts WHERE callback = ?1 ORDER BY rowid")?;
    let read = |row: &Row<'_>| Ok((row.get("at")?, row.get("outcome")?));
    Ok(statement.query_map([callback], read)?.collect::<Result<_, _>>()?)
}

/// Marks a callback as being delivered, so that it is not picked up a second time.
pub(crate) fn mark_in_progress(db: &Connection, id: i64) -> Result<()> {
    db.prepare_cached("UPDATE callbacks SET under_way = 1 WHERE id = ?1")?.execute([id])?;
    Ok(())
}

pub(crate) fn exists(db: &Connection, id: i64) -> Result<bool> {
    let mut statement = db.prepare_cached("SELECT EXISTS (SELECT 1 FROM callbacks WHERE id = ?1)")?;
    Ok(statement.query_row([id], |row| row.get(0))?)
}

/// Whether a callback is due or being delivered.
pub(crate) fn any_pending(db: &Connection) -> Result<bool> {
    let mut statement =
        db.prepare_cached("SELECT EXISTS (SELECT 1 FROM callbacks WHERE under_way = 1 OR due <= ?1)")?;
    Ok(statement.query_row([now()], |row| row.get(0))?)
}

/// When the next callback is due, in milliseconds since 1970.
pub(crate) fn next_due(db: &Connection) -> Result<Option<i64>> {
    let mut statement = db.prepare_cached("SELECT min(due) FROM callbacks WHERE due IS NOT NULL AND under_way = 0")?;
    Ok(statement.query_row([], |row| row.get(0))?)
}
