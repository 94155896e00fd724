//! What follows from the end of a process, and from the passing of time.

use rusqlite::{Connection, params};

use super::{
    batches,
    rows::{Move, Which, transition},
};
use crate::{
    Event, State,
    store::Maintenance,
    time::{Millis, millis},
};

pub(super) fn recover(db: &Connection, now: Millis, check_at: Millis) -> rusqlite::Result<Vec<Event>> {
    let reason = Some("the worker ended while it was being sent");
    let moved = Move { reason, check_at: Some(check_at), ..Move::default() };
    let mut events = Vec::new();
    let left: Vec<[u8; 16]> = db
        .prepare_cached("SELECT send FROM bdc_outbox_lanes WHERE send IS NOT NULL ORDER BY uid")?
        .query_map([], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    for send in left {
        events.extend(transition(db, now, Which::Send(send), (State::Sending, State::Unknown), moved)?);
    }
    db.prepare_cached("UPDATE bdc_outbox_lanes SET send = NULL WHERE send IS NOT NULL")?.execute([])?;
    Ok(events)
}

/// How long it is remembered which batch a callback belongs to, in milliseconds: as long as addresses are valid.
const REMEMBERED: Millis = 30 * 24 * 60 * 60 * 1000;

pub(super) fn maintain(db: &Connection, now: Millis, maintenance: &Maintenance) -> rusqlite::Result<Vec<Event>> {
    let limit = i64::try_from(maintenance.limit).unwrap_or(i64::MAX);
    let before = now.saturating_sub(millis(maintenance.unconfirmed_after));
    let reason = Some("no callback arrived in time");
    let silent: Vec<[u8; 16]> = db
        .prepare_cached("SELECT id FROM bdc_outbox_sends WHERE state = 2 AND since <= ? ORDER BY since LIMIT ?")?
        .query_map(params![before, limit], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let moved = Move { reason, check_at: Some(now), ..Move::default() };
    let mut events = Vec::new();
    for send in silent {
        events.extend(transition(db, now, Which::Send(send), (State::Taken, State::Unconfirmed), moved)?);
        if events.len() >= maintenance.limit {
            break;
        }
    }
    for (state, keep) in &maintenance.keep {
        let before = now.saturating_sub(millis(*keep));
        let sql = "
            DELETE FROM bdc_outbox_records WHERE number IN (
                SELECT number FROM bdc_outbox_records
                WHERE state = ?1 AND state IN (3, 4, 5, 6, 7, 8) AND since <= ?2 LIMIT ?3
            )";
        db.prepare_cached(sql)?.execute(params![state.code(), before, limit])?;
        if *state == State::Confirmed {
            batches::remove(db, before, maintenance.limit)?;
        }
    }
    let sql = "
        DELETE FROM bdc_outbox_sends WHERE id IN (
            SELECT id FROM bdc_outbox_sends AS sends WHERE begun <= ?1 AND NOT EXISTS (
                SELECT 1 FROM bdc_outbox_records WHERE send = sends.id
            ) AND NOT EXISTS (
                SELECT 1 FROM bdc_outbox_records INDEXED BY bdc_outbox_follows
                WHERE uid = sends.uid AND number BETWEEN sends.first AND sends.last AND state IS NULL
            ) ORDER BY begun LIMIT ?2
        )";
    db.prepare_cached(sql)?.execute(params![now.saturating_sub(REMEMBERED), limit])?;
    Ok(events)
}
