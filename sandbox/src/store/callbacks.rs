//! Every SQL statement on callbacks and their delivery attempts.

use rusqlite::{Connection, Row, params};
use serde_json::value::RawValue;

use super::{
    error::{Json, Result},
    responses::{MAX_INLINE, release, share},
};
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
    /// The length of the response, in bytes. The response itself is read when it leaves.
    pub(crate) size: i64,
    /// Its timestamp, in milliseconds since 1970: when the request was executed, or for the callback after an interim
    /// one, when that was finished.
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
            size: row.get("size")?,
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

/// A callback to add.
pub(crate) struct NewCallback<'a> {
    pub(crate) operation: &'a str,
    /// The tag of the operation, such as `push`.
    pub(crate) direction: &'a str,
    pub(crate) webhook: &'a str,
    pub(crate) uid: Option<&'a str>,
    pub(crate) signature: Option<&'a str>,
    pub(crate) response: &'a RawValue,
    /// When the request was executed, in milliseconds since 1970.
    pub(crate) created: i64,
}

/// Adds a callback that is due at a time, or only when its hold is released, and returns its id.
pub(crate) fn add_callback(db: &Connection, callback: &NewCallback<'_>, due: Option<i64>, hold: Hold) -> Result<i64> {
    let mut statement = db.prepare_cached(
        "INSERT INTO callbacks
         (operation, direction, webhook, uid, signature, created, due, held, behind, size, response, large)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
    )?;
    let NewCallback { operation, direction, webhook, uid, signature, response, created } = callback;
    let (held, behind) = match hold {
        Hold::None => (false, None),
        Hold::UntilOvertaken => (true, None),
        Hold::UntilFinished(other) => (true, Some(other)),
    };
    let response = response.get();
    let (inline, large) = match response.len() {
        0..=MAX_INLINE => (Some(response), None),
        _ => (None, Some(share(db, response)?)),
    };
    let size = i64::try_from(response.len()).unwrap_or(i64::MAX);
    Ok(statement.insert(params![
        operation, direction, webhook, uid, signature, created, due, held, behind, size, inline, large
    ])?)
}

const DUE: &str = "SELECT id, operation, direction, webhook, uid, signature, size, created,
        (SELECT count(*) FROM attempts WHERE callback = callbacks.id) AS attempts
    FROM callbacks WHERE due <= ?1 AND under_way = 0 ORDER BY due, id LIMIT ?2";

/// The callbacks that are due, longest wait first.
pub(crate) fn due_callbacks(db: &Connection, now: i64, limit: usize) -> Result<Vec<Callback>> {
    let mut statement = db.prepare_cached(DUE)?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    Ok(statement.query_map(params![now, limit], Callback::from_row)?.collect::<Result<_, _>>()?)
}

/// How a delivery attempt ended.
pub(crate) struct AttemptOutcome {
    pub(crate) delivered: bool,
    pub(crate) message: String,
}

/// Records a delivery attempt; without a next attempt the callback is finished. Of those that are finished, the ones
/// among the last `keep` callbacks are kept.
pub(crate) fn add_attempt(
    db: &Connection,
    id: i64,
    at: i64,
    outcome: &AttemptOutcome,
    next: Option<i64>,
    keep: u64,
) -> Result<()> {
    let AttemptOutcome { delivered, message } = outcome;
    db.prepare_cached("UPDATE callbacks SET due = ?2, under_way = 0, held = 0, delivered = ?3 WHERE id = ?1")?
        .execute(params![id, next, delivered])?;
    if db.changes() == 0 {
        // It was removed by a reset.
        return Ok(());
    }
    db.prepare_cached("INSERT INTO attempts (callback, at, outcome) VALUES (?1, ?2, ?3)")?
        .execute(params![id, at, message])?;
    if *delivered {
        db.prepare_cached(RELEASE_OVERTAKEN)?.execute(params![at, id])?;
    }
    if next.is_none() {
        finish(db, id)?;
        db.prepare_cached(RELEASE_FOLLOWING)?.execute(params![at, id])?;
        remove_old(db, keep)?;
    }
    Ok(())
}

/// Releases the callbacks of the same business that a later one has overtaken.
const RELEASE_OVERTAKEN: &str = "UPDATE callbacks SET due = ?1, held = 0 WHERE held = 1
    AND behind IS NULL AND id < ?2 AND uid IS (SELECT uid FROM callbacks WHERE id = ?2)";

/// Releases the callbacks that waited for the end of another. Their timestamp is that of the release, and later than
/// that of the other even within a millisecond.
const RELEASE_FOLLOWING: &str =
    "UPDATE callbacks SET due = ?1, held = 0, created = max(?1, created + 1) WHERE held = 1 AND behind = ?2";

/// The finished callbacks that are older than those to keep, oldest first.
const OLD: &str = "SELECT id FROM callbacks WHERE finished = 1
    AND id <= (SELECT seq FROM sqlite_sequence WHERE name = 'callbacks') - ?1 ORDER BY id LIMIT ?2";

/// Marks a callback as finished, and lets go of its response if that is large.
fn finish(db: &Connection, id: i64) -> Result<()> {
    let mut statement = db.prepare_cached("SELECT large FROM callbacks WHERE id = ?1")?;
    let large: Option<i64> = statement.query_row([id], |row| row.get(0))?;
    db.prepare_cached("UPDATE callbacks SET finished = 1, large = NULL WHERE id = ?1")?.execute([id])?;
    large.map_or(Ok(()), |large| release(db, large))
}

/// Removes some of the finished callbacks that are not to be kept. A callback that finishes pays for a few others, so
/// that their number falls, and no callback pays for many.
fn remove_old(db: &Connection, keep: u64) -> Result<()> {
    /// More than one, so that a lower limit takes effect as well.
    const AT_ONCE: i64 = 3;

    let keep = i64::try_from(keep).unwrap_or(i64::MAX);
    let mut statement = db.prepare_cached(OLD)?;
    let old: Vec<i64> = statement.query_map([keep, AT_ONCE], |row| row.get(0))?.collect::<Result<_, _>>()?;
    for id in old {
        db.prepare_cached("DELETE FROM attempts WHERE callback = ?1")?.execute([id])?;
        db.prepare_cached("DELETE FROM callbacks WHERE id = ?1")?.execute([id])?;
    }
    Ok(())
}

/// A callback and its progress.
pub(crate) struct CallbackRow {
    pub(crate) id: i64,
    pub(crate) operation: String,
    pub(crate) uid: Option<String>,
    pub(crate) webhook: String,
    /// The length of the response, in bytes.
    pub(crate) size: i64,
    /// None for a large one.
    pub(crate) response: Option<Box<RawValue>>,
    /// As [`Callback::created`].
    pub(crate) created: i64,
    pub(crate) due: Option<i64>,
    pub(crate) delivered: bool,
    pub(crate) finished: bool,
}

impl CallbackRow {
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            id: row.get("id")?,
            operation: row.get("operation")?,
            uid: row.get("uid")?,
            webhook: row.get("webhook")?,
            size: row.get("size")?,
            response: row.get::<_, Option<Json>>("response")?.map(|json| json.0),
            created: row.get("created")?,
            due: row.get("due")?,
            delivered: row.get("delivered")?,
            finished: row.get("finished")?,
        })
    }
}

/// The last callbacks before one, latest first.
pub(crate) fn callbacks_before(db: &Connection, before: i64, limit: usize) -> Result<Vec<CallbackRow>> {
    let mut statement = db.prepare_cached(
        "SELECT id, operation, uid, webhook, size, response, created, due, delivered, finished FROM callbacks
         WHERE id < ?1 ORDER BY id DESC LIMIT ?2",
    )?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    Ok(statement.query_map([before, limit], CallbackRow::from_row)?.collect::<Result<_, _>>()?)
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

const ANY_PENDING: &str = "SELECT EXISTS (SELECT 1 FROM callbacks WHERE under_way = 1)
    OR EXISTS (SELECT 1 FROM callbacks WHERE due <= ?1 AND under_way = 0)";

/// Whether a callback is due or being delivered.
pub(crate) fn any_pending(db: &Connection) -> Result<bool> {
    let mut statement = db.prepare_cached(ANY_PENDING)?;
    Ok(statement.query_row([now()], |row| row.get(0))?)
}

const NEXT_DUE: &str = "SELECT min(due) FROM callbacks WHERE due IS NOT NULL AND under_way = 0";

/// When the next callback is due, in milliseconds since 1970.
pub(crate) fn next_due(db: &Connection) -> Result<Option<i64>> {
    let mut statement = db.prepare_cached(NEXT_DUE)?;
    Ok(statement.query_row([], |row| row.get(0))?)
}

#[cfg(test)]
mod tests;
