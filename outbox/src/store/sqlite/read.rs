//! Reads requests and counts.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::column::state;
use crate::{
    Counts, Entry, State,
    counts::StateCount,
    time::{Millis, system_time},
};

const COLUMNS: &str =
    "number, uid, operation, record_id, state, reason, request, attempts, resent, absent, added, since, check_at";

fn read(row: &Row<'_>) -> rusqlite::Result<Entry> {
    Ok(Entry {
        number: row.get(0)?,
        uid: Some(row.get::<_, String>(1)?).filter(|uid| !uid.is_empty()),
        operation: row.get(2)?,
        record_id: row.get(3)?,
        state: state(row, 4)?,
        reason: row.get(5)?,
        request: row.get(6)?,
        attempts: row.get(7)?,
        resent: row.get(8)?,
        absent: row.get::<_, i64>(9)? >= 2,
        added: system_time(row.get(10)?),
        since: system_time(row.get(11)?),
        next_check: row.get::<_, Option<Millis>>(12)?.map(system_time),
    })
}

pub(super) fn entry(db: &Connection, number: i64) -> rusqlite::Result<Option<Entry>> {
    let sql = format!("SELECT {COLUMNS} FROM bdc_outbox WHERE number = ?");
    db.prepare_cached(&sql)?.query_row([number], read).optional()
}

pub(super) fn find(db: &Connection, uid: &str, record_id: &str) -> rusqlite::Result<Vec<Entry>> {
    let sql = format!("SELECT {COLUMNS} FROM bdc_outbox WHERE uid = ? AND record_id = ?");
    let mut statement = db.prepare_cached(&sql)?;
    let mut entries = statement.query_map([uid, record_id], read)?.collect::<rusqlite::Result<Vec<_>>>()?;
    entries.sort_by_key(|entry| std::cmp::Reverse(entry.number));
    Ok(entries)
}

pub(super) fn entries(db: &Connection, state: Option<State>, after: i64, limit: usize) -> rusqlite::Result<Vec<Entry>> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    // In the order of numbers, each page begins where the last one ended.
    let condition = if state.is_some() { "+state = ?1 AND number > ?2" } else { "?1 IS NULL AND number > ?2" };
    let sql = format!("SELECT {COLUMNS} FROM bdc_outbox WHERE {condition} ORDER BY number LIMIT ?3");
    db.prepare_cached(&sql)?.query_map(params![state.map(State::code), after, limit], read)?.collect()
}

pub(super) fn counts(db: &Connection) -> rusqlite::Result<Counts> {
    let mut count = db.prepare_cached("SELECT count FROM bdc_outbox_counts WHERE state = ?")?;
    let states = State::ALL.into_iter().map(|state| {
        let count: i64 = count.query_row([state.code()], |row| row.get(0))?;
        let oldest = if count > 0 { oldest(db, state)? } else { None };
        Ok(StateCount { state, count: count.unsigned_abs(), oldest: oldest.map(system_time) })
    });
    Ok(Counts { states: states.collect::<rusqlite::Result<_>>()? })
}

fn oldest(db: &Connection, state: State) -> rusqlite::Result<Option<Millis>> {
    let sql = match state {
        // Of each business, the first one that is queued again, and the first one that was never sent.
        State::Queued => {
            "SELECT min(since) FROM (
                SELECT (
                    SELECT since FROM bdc_outbox_records WHERE uid = lanes.uid AND state = 0 ORDER BY number LIMIT 1
                ) AS since FROM bdc_outbox_lanes AS lanes
                UNION ALL SELECT (
                    SELECT added FROM bdc_outbox_records INDEXED BY bdc_outbox_follows
                    WHERE uid = lanes.uid AND state IS NULL AND number > coalesce((
                        SELECT last FROM bdc_outbox_sends INDEXED BY bdc_outbox_range
                        WHERE uid = lanes.uid AND first IS NOT NULL ORDER BY first DESC LIMIT 1
                    ), 0) ORDER BY number LIMIT 1
                ) FROM bdc_outbox_lanes AS lanes
            ) WHERE ?1 = 0"
        }
        State::Sending => {
            "SELECT min(begun) FROM bdc_outbox_sends WHERE id IN (
                SELECT send FROM bdc_outbox_lanes WHERE send IS NOT NULL
            ) AND ?1 = 1"
        }
        State::Taken => "SELECT min(since) FROM bdc_outbox_sends WHERE state = ?1 AND state IN (2, 3)",
        State::Confirmed => return Ok(None),
        _ => "SELECT min(since) FROM bdc_outbox_records WHERE state = ?1 AND state IN (3, 4, 5, 6, 7, 8)",
    };
    db.prepare_cached(sql)?.query_row([state.code()], |row| row.get(0))
}
