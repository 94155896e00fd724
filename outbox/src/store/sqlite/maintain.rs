//! What follows from the end of a process, and from the passing of time.

use rusqlite::{Connection, params};

use super::rows::{Move, Which, left, select, transition};
use crate::{
    Event, State,
    store::Maintenance,
    time::{Millis, millis},
};

pub(super) fn recover(db: &Connection, now: Millis, check_at: Millis) -> rusqlite::Result<Vec<Event>> {
    let reason = Some("the worker ended while it was being sent");
    let moved = Move { reason, check_at: Some(check_at), ..Move::default() };
    let mut events = Vec::new();
    for row in select(db, "send IN (SELECT send FROM bdc_outbox_lanes WHERE send IS NOT NULL) AND +state = 1", [])? {
        events.extend(transition(db, now, Which::Number(row.number), (State::Sending, State::Unknown), moved)?);
    }
    db.prepare_cached("UPDATE bdc_outbox_lanes SET send = NULL WHERE send IS NOT NULL")?.execute([])?;
    Ok(events)
}

/// How long it is remembered which batch a callback belongs to, in milliseconds: as long as addresses are valid.
const REMEMBERED: Millis = 30 * 24 * 60 * 60 * 1000;

/// Those of old batches, since no index has the confirmed ones by time.
const CONFIRMED: &str = "
    SELECT number FROM bdc_outbox_sends CROSS JOIN bdc_outbox_records ON send = id
    WHERE begun <= ?2 AND state = ?1 AND since <= ?2";

pub(super) fn maintain(db: &Connection, now: Millis, maintenance: &Maintenance) -> rusqlite::Result<Vec<Event>> {
    let limit = i64::try_from(maintenance.limit).unwrap_or(i64::MAX);
    let before = now.saturating_sub(millis(maintenance.unconfirmed_after));
    let reason = Some("no callback arrived in time");
    let silent: Vec<[u8; 16]> = db
        .prepare_cached("SELECT id FROM bdc_outbox_sends WHERE taken <= ? ORDER BY taken LIMIT ?")?
        .query_map(params![before, limit], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let moved = Move { reason, check_at: Some(now), ..Move::default() };
    let mut events = Vec::new();
    for send in silent {
        events.extend(transition(db, now, Which::Send(send), (State::Taken, State::Unconfirmed), moved)?);
        left(db, &send)?;
        if events.len() >= maintenance.limit {
            break;
        }
    }
    for (state, keep) in &maintenance.keep {
        let old = match state {
            State::Confirmed => CONFIRMED,
            _ => "SELECT number FROM bdc_outbox_records WHERE state = ?1 AND state IN (4, 5, 6, 7, 8) AND since <= ?2",
        };
        let sql = format!("DELETE FROM bdc_outbox_records WHERE number IN ({old} LIMIT ?3)");
        let before = now.saturating_sub(millis(*keep));
        db.prepare_cached(&sql)?.execute(params![state.code(), before, limit])?;
    }
    let sql = "
        DELETE FROM bdc_outbox_sends WHERE id IN (
            SELECT id FROM bdc_outbox_sends WHERE begun <= ?1 AND NOT EXISTS (
                SELECT 1 FROM bdc_outbox_records WHERE send = bdc_outbox_sends.id
            ) ORDER BY begun LIMIT ?2
        )";
    db.prepare_cached(sql)?.execute(params![now.saturating_sub(REMEMBERED), limit])?;
    Ok(events)
}
