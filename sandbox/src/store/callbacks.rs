//! Every statement on callbacks and their attempts.

use rusqlite::{Connection, Row, params};
use serde_json::value::RawValue;

use super::tables::json;
use crate::{callback::Callback, clock::now};

/// What a callback waits for beside its time.
#[derive(Clone, Copy)]
pub(crate) enum Behind {
    Nothing,
    /// Whichever later callback of the same business is delivered first, or its time.
    Another,
    /// This one, until it is delivered or discarded.
    This(i64),
}

/// Adds a callback that is due at some time, or as soon as it has what it waits for, and gives its number.
pub(crate) fn add_callback(
    db: &Connection,
    callback: &Callback,
    due: Option<i64>,
    behind: Behind,
) -> rusqlite::Result<i64> {
    let mut statement = db.prepare_cached(
        "INSERT INTO callbacks (operation, direction, webhook, uid, signature, response, created, due, held, behind)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
    )?;
    let Callback { operation, direction, webhook, uid, signature, response, created, .. } = callback;
    let (held, behind) = match behind {
        Behind::Nothing => (false, None),
        Behind::Another => (true, None),
        Behind::This(other) => (true, Some(other)),
    };
    let response = response.get();
    statement.insert(params![operation, direction, webhook, uid, signature, response, created, due, held, behind])
}

/// The callbacks that are due, those first that have waited longest.
pub(crate) fn due_callbacks(db: &Connection, now: i64, limit: usize) -> rusqlite::Result<Vec<Callback>> {
    let mut statement = db.prepare_cached(
        "SELECT id, operation, direction, webhook, uid, signature, response, created,
                (SELECT count(*) FROM attempts WHERE callback = callbacks.id)
         FROM callbacks WHERE due <= ?1 AND under_way = 0 ORDER BY due, id LIMIT ?2",
    )?;
    let read = |row: &Row<'_>| {
        Ok(Callback {
            id: row.get(0)?,
            operation: row.get(1)?,
            direction: row.get(2)?,
            webhook: row.get(3)?,
            uid: row.get(4)?,
            signature: row.get(5)?,
            response: json(row, 6)?,
            created: row.get(7)?,
            attempts: row.get(8)?,
        })
    };
    statement.query_map(params![now, i64::try_from(limit).unwrap_or(i64::MAX)], read)?.collect()
}

/// Notes an attempt; without a next time the callback is done with.
pub(crate) fn note_attempt(
    db: &Connection,
    id: i64,
    at: i64,
    outcome: &Attempted,
    next: Option<i64>,
) -> rusqlite::Result<()> {
    db.prepare_cached("INSERT INTO attempts (callback, at, outcome) VALUES (?1, ?2, ?3)")?.execute(params![
        id,
        at,
        outcome.told
    ])?;
    db.prepare_cached("UPDATE callbacks SET due = ?2, under_way = 0, held = 0, delivered = ?3 WHERE id = ?1")?
        .execute(params![id, next, outcome.taken])?;
    if outcome.taken {
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

/// How an attempt went.
pub(crate) struct Attempted {
    pub(crate) taken: bool,
    pub(crate) told: String,
}

/// A callback as it stands.
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

/// The last callbacks, oldest first.
pub(crate) fn callbacks(db: &Connection, limit: usize) -> rusqlite::Result<Vec<CallbackRow>> {
    let mut statement = db.prepare_cached(
        "SELECT id, operation, uid, webhook, response, due, held, delivered FROM callbacks ORDER BY id DESC LIMIT ?1",
    )?;
    let read = |row: &Row<'_>| {
        Ok(CallbackRow {
            id: row.get(0)?,
            operation: row.get(1)?,
            uid: row.get(2)?,
            webhook: row.get(3)?,
            response: json(row, 4)?,
            due: row.get(5)?,
            held: row.get(6)?,
            delivered: row.get(7)?,
        })
    };
    let rows = statement.query_map([i64::try_from(limit).unwrap_or(i64::MAX)], read)?;
    let mut callbacks: Vec<_> = rows.collect::<Result<_, _>>()?;
    callbacks.reverse();
    Ok(callbacks)
}

/// When a callback was tried, in milliseconds since 1970, and how that went.
pub(crate) fn attempts_at(db: &Connection, callback: i64) -> rusqlite::Result<Vec<(i64, String)>> {
    let mut statement = db.prepare_cached("SELECT at, outcome FROM attempts WHERE callback = ?1 ORDER BY rowid")?;
    statement.query_map([callback], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

/// Keeps a callback from being taken again while it is under way in this process.
pub(crate) fn take_up(db: &Connection, id: i64) -> rusqlite::Result<()> {
    db.prepare_cached("UPDATE callbacks SET under_way = 1 WHERE id = ?1")?.execute([id])?;
    Ok(())
}

/// Whether a callback is there.
pub(crate) fn exists(db: &Connection, id: i64) -> rusqlite::Result<bool> {
    db.prepare_cached("SELECT EXISTS (SELECT 1 FROM callbacks WHERE id = ?1)")?.query_row([id], |row| row.get(0))
}

/// Whether a callback is under way, or was not tried yet and is due.
pub(crate) fn is_calling(db: &Connection) -> rusqlite::Result<bool> {
    let now = now();
    let mut statement =
        db.prepare_cached("SELECT EXISTS (SELECT 1 FROM callbacks WHERE under_way = 1 OR due <= ?1)")?;
    statement.query_row([now], |row| row.get(0))
}

/// When the next callback is due.
pub(crate) fn next_due(db: &Connection) -> rusqlite::Result<Option<i64>> {
    db.prepare_cached("SELECT min(due) FROM callbacks WHERE due IS NOT NULL AND under_way = 0")?
        .query_row([], |row| row.get(0))
}
