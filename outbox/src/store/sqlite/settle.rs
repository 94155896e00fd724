//! Adds requests, and stores what became of batches.

use rusqlite::{Connection, ErrorCode, params};

use super::{
    pause,
    rows::{Move, Which, transition},
};
use crate::{
    Event, State,
    record::Staged,
    store::{Added, Settlement},
    time::Millis,
};

pub(super) fn add(db: &Connection, record: Staged) -> rusqlite::Result<Added> {
    let values = params![record.uid(), record.operation(), record.record_id(), record.request()];
    match db.prepare_cached(Staged::SQL)?.execute(values) {
        Ok(0) => Ok(Added::There),
        Ok(_) => Ok(Added::New(db.last_insert_rowid())),
        // The trigger.
        Err(rusqlite::Error::SqliteFailure(error, _)) if error.code == ErrorCode::ConstraintViolation => {
            Ok(Added::Differs(record))
        }
        Err(error) => Err(error),
    }
}

/// A callback that was there first is not undone: only requests that are still sending move.
pub(super) fn settle(
    db: &Connection,
    now: Millis,
    settled: &Settlement,
    events: &mut Vec<Event>,
) -> rusqlite::Result<()> {
    let Settlement { send, uid, verdict } = settled;
    let reason = verdict.reason.as_deref();
    let id = send.as_bytes();
    if let (State::Queued, Some(attempts), false) = (verdict.state, verdict.attempts, verdict.alone) {
        let parked = (State::Sending, State::Parked);
        events.extend(transition(db, now, Which::Attempts(id, attempts), parked, Move { reason, ..Move::default() })?);
    }
    let moved = Move { reason, check_at: verdict.check_at, alone: verdict.alone };
    events.extend(transition(db, now, Which::Send(id), (State::Sending, verdict.state), moved)?);
    let sql = "
        UPDATE bdc_outbox_lanes SET send = NULL, not_before = coalesce(?3, 0),
            failures = CASE WHEN ?3 IS NULL THEN 0 ELSE failures + 1 END
        WHERE uid = ?1 AND send = ?2";
    db.prepare_cached(sql)?.execute(params![uid, id, verdict.not_before])?;
    match &verdict.pause {
        Some(new) => pause::pause(db, now, None, new),
        None => Ok(()),
    }
}
