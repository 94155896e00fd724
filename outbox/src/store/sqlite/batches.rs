//! The requests that follow their batch: they have no state of their own.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::column::state;
use crate::{Event, State, time::Millis};

/// The row of a batch.
struct Batch {
    uid: String,
    state: State,
    first: i64,
    last: i64,
}

fn batch(db: &Connection, id: [u8; 16]) -> rusqlite::Result<Option<Batch>> {
    // Without a range, nothing is in it.
    let sql =
        "SELECT uid, state, coalesce(first, 1), coalesce(last, 0) FROM bdc_outbox_sends WHERE id = ? AND state >= 0";
    let read =
        |row: &Row<'_>| Ok(Batch { uid: row.get(0)?, state: state(row, 1)?, first: row.get(2)?, last: row.get(3)? });
    db.prepare_cached(sql)?.query_row([id], read).optional()
}

/// The last number that left with a batch of a business; those that follow after it are queued.
pub(super) fn last(db: &Connection, uid: &str) -> rusqlite::Result<i64> {
    let sql = "
        SELECT last FROM bdc_outbox_sends INDEXED BY bdc_outbox_range
        WHERE uid = ? AND first IS NOT NULL ORDER BY first DESC LIMIT 1";
    Ok(db.prepare_cached(sql)?.query_row([uid], |row| row.get(0)).optional()?.unwrap_or(0))
}

/// Moves a batch that is in a state. If those that follow it move in the usual way, their events are returned; if not,
/// they get the old state as their own, for the caller to move.
pub(super) fn transition(
    db: &Connection,
    now: Millis,
    id: [u8; 16],
    (from, to): (State, State),
    reason: Option<&str>,
) -> rusqlite::Result<Vec<Event>> {
    let Some(batch) = batch(db, id)?.filter(|batch| batch.state == from) else { return Ok(Vec::new()) };
    let mut events = Vec::new();
    match to {
        State::Taken | State::Confirmed => events = moved(db, &batch, to)?,
        _ => write_out(db, id, &batch)?,
    }
    let sql = "UPDATE bdc_outbox_sends SET state = ?2, since = ?3, reason = ?4 WHERE id = ?1";
    db.prepare_cached(sql)?.execute(params![id, to.code(), now, reason])?;
    Ok(events)
}

fn moved(db: &Connection, batch: &Batch, to: State) -> rusqlite::Result<Vec<Event>> {
    let sql = "
        SELECT number, operation, record_id FROM bdc_outbox_records INDEXED BY bdc_outbox_follows
        WHERE uid = ? AND number BETWEEN ? AND ? AND state IS NULL";
    let event = |row: &Row<'_>| {
        Ok(Event {
            number: row.get(0)?,
            uid: Some(batch.uid.clone()).filter(|uid| !uid.is_empty()),
            operation: row.get(1)?,
            record_id: row.get(2)?,
            from: batch.state,
            to,
        })
    };
    db.prepare_cached(sql)?.query_map(params![batch.uid, batch.first, batch.last], event)?.collect()
}

/// Gives what follows a batch a state of its own.
fn write_out(db: &Connection, id: [u8; 16], batch: &Batch) -> rusqlite::Result<()> {
    let sql = "
        UPDATE bdc_outbox_records INDEXED BY bdc_outbox_follows SET state = sends.state, send = sends.id,
            since = sends.since, reason = sends.reason, attempts = attempts + 1
        FROM (SELECT * FROM bdc_outbox_sends WHERE id = ?1) AS sends
        WHERE bdc_outbox_records.uid = ?2 AND number BETWEEN ?3 AND ?4 AND bdc_outbox_records.state IS NULL";
    db.prepare_cached(sql)?.execute(params![id, batch.uid, batch.first, batch.last])?;
    Ok(())
}

/// Gives one request a state of its own, if it follows. Nothing moves by that.
pub(super) fn leave(db: &Connection, number: i64) -> rusqlite::Result<()> {
    let sql = "
        UPDATE bdc_outbox_records SET (state, send, since, reason, attempts) = (
            SELECT state, send, since, reason, attempts FROM bdc_outbox WHERE number = ?1
        ) WHERE number = ?1 AND state IS NULL";
    db.prepare_cached(sql)?.execute([number])?;
    Ok(())
}

/// Forgets the state of a batch that is taken, once nothing of it is.
pub(super) fn forget(db: &Connection, id: &[u8]) -> rusqlite::Result<()> {
    let sql = "
        UPDATE bdc_outbox_sends AS sends SET state = NULL WHERE id = ?1 AND state = 2 AND NOT EXISTS (
            SELECT 1 FROM bdc_outbox_records WHERE send = ?1 AND +state = 2
        ) AND NOT EXISTS (
            SELECT 1 FROM bdc_outbox_records INDEXED BY bdc_outbox_follows
            WHERE uid = sends.uid AND number BETWEEN sends.first AND sends.last AND state IS NULL
        )";
    db.prepare_cached(sql)?.execute([id])?;
    Ok(())
}

/// Removes what follows batches that were confirmed before a time, so many at once.
pub(super) fn remove(db: &Connection, before: Millis, limit: usize) -> rusqlite::Result<()> {
    let sql = "SELECT id FROM bdc_outbox_sends WHERE state = 3 AND since <= ? ORDER BY since LIMIT ?";
    let old = params![before, i64::try_from(limit).unwrap_or(i64::MAX)];
    let old: Vec<[u8; 16]> =
        db.prepare_cached(sql)?.query_map(old, |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
    let mut left = limit;
    for id in old {
        let sql = "
            DELETE FROM bdc_outbox_records WHERE number IN (
                SELECT number FROM bdc_outbox_sends AS sends
                    CROSS JOIN bdc_outbox_records AS records INDEXED BY bdc_outbox_follows
                WHERE id = ?1 AND records.uid = sends.uid AND number BETWEEN first AND last AND records.state IS NULL
                LIMIT ?2
            )";
        let removed = db.prepare_cached(sql)?.execute(params![id, i64::try_from(left).unwrap_or(i64::MAX)])?;
        left = left.saturating_sub(removed);
        if left == 0 {
            // The rest of it is found the next time.
            break;
        }
        db.prepare_cached("UPDATE bdc_outbox_sends SET state = NULL WHERE id = ?")?.execute([id])?;
    }
    Ok(())
}
