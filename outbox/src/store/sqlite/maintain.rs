//! What follows from the end of a process, and from the passing of time.

use rusqlite::{Connection, params};

use super::rows::{Move, select, transition};
use crate::{
    Event, State,
    store::Maintenance,
    time::{Millis, millis},
};

pub(super) fn recover(db: &Connection, now: Millis, check_at: Millis) -> rusqlite::Result<Vec<Event>> {
    db.prepare_cached("UPDATE bdc_outbox_lanes SET send = NULL WHERE send IS NOT NULL")?.execute([])?;
    let reason = Some("the worker ended while it was being sent");
    let rows = select(db, "state = 1", [])?;
    let moved = |row| {
        let check_at = Some(check_at);
        transition(db, now, row, State::Unknown, Move { reason, check_at, ..Move::default() })
    };
    rows.into_iter().map(moved).collect()
}

/// How long it is remembered which batch a callback belongs to, in milliseconds: as long as addresses are valid.
const REMEMBERED: Millis = 30 * 24 * 60 * 60 * 1000;

pub(super) fn maintain(db: &Connection, now: Millis, maintenance: &Maintenance) -> rusqlite::Result<Vec<Event>> {
    let limit = i64::try_from(maintenance.limit).unwrap_or(i64::MAX);
    let before = now.saturating_sub(millis(maintenance.unconfirmed_after));
    let reason = Some("no callback arrived in time");
    let silent = select(db, "state = 2 AND since <= ? ORDER BY since LIMIT ?", params![before, limit])?;
    let moved =
        |row| transition(db, now, row, State::Unconfirmed, Move { reason, check_at: Some(now), ..Move::default() });
    let events = silent.into_iter().map(moved).collect::<rusqlite::Result<_>>()?;
    for (state, keep) in &maintenance.keep {
        let sql = "
            DELETE FROM bdc_outbox_records WHERE number IN (
                SELECT number FROM bdc_outbox_records WHERE state = ? AND since <= ? ORDER BY since LIMIT ?
            )";
        let before = now.saturating_sub(millis(*keep));
        db.prepare_cached(sql)?.execute(params![state.code(), before, limit])?;
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
