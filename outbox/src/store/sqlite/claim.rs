//! Claims the next batch: the lane that waited longest, and what is first in it.

use business_data_connector::{OPERATIONS, Operation};
use rusqlite::{Connection, OptionalExtension, params};

use super::{
    pause,
    rows::{Move, Which, count, transition},
};
use crate::{
    Event, State,
    record::operation,
    store::{
        Address, Batch, Claim, Row,
        batch::{Queued, fill},
    },
    time::Millis,
};

/// How long a lane waits before it is looked at again that is held by a request whose fate is not known, in
/// milliseconds.
const HELD: Millis = 5_000;

struct Lane {
    uid: String,
    failures: u32,
}

pub(super) fn claim(
    db: &Connection,
    now: Millis,
    claim: &Claim,
    events: &mut Vec<Event>,
) -> rusqlite::Result<Option<Batch>> {
    if pause::is_paused(db, now)? {
        return Ok(None);
    }
    while let Some(lane) = next_lane(db, now)? {
        let queued = queued(db, &lane.uid, claim.limits.records.max(1))?;
        let Some(first) = queued.first() else {
            db.prepare_cached("DELETE FROM bdc_outbox_lanes WHERE uid = ?")?.execute([&lane.uid])?;
            continue;
        };
        let Some(known) = operation(&first.operation) else {
            let reason = format!("there is no operation {:?} in this version", first.operation);
            park(db, now, first.number, &reason, events)?;
            continue;
        };
        if is_held(db, &lane.uid, first.number, known)? {
            let sql = "UPDATE bdc_outbox_lanes SET not_before = ? WHERE uid = ?";
            db.prepare_cached(sql)?.execute(params![now.saturating_add(HELD), lane.uid])?;
            continue;
        }
        let number = first.number;
        let (called, together, rows) = fill(known, queued, claim.limits);
        let uid = Some(lane.uid.as_str()).filter(|uid| !uid.is_empty());
        let address = match (claim.addresses)(called, uid) {
            Ok(address) => address,
            Err(error) => {
                park(db, now, number, &error.to_string(), events)?;
                continue;
            }
        };
        depart(db, now, &lane.uid, called, &address, &rows, events)?;
        return Ok(Some(Batch { address, uid: lane.uid, operation: called, together, rows, failures: lane.failures }));
    }
    Ok(None)
}

fn next_lane(db: &Connection, now: Millis) -> rusqlite::Result<Option<Lane>> {
    let sql = "
        SELECT uid, failures FROM bdc_outbox_lanes
        WHERE send IS NULL AND not_before <= ?
            AND NOT EXISTS (SELECT 1 FROM bdc_outbox_pauses WHERE scope = 'u' || bdc_outbox_lanes.uid)
        ORDER BY served LIMIT 1";
    db.prepare_cached(sql)?.query_row([now], |row| Ok(Lane { uid: row.get(0)?, failures: row.get(1)? })).optional()
}

fn queued(db: &Connection, uid: &str, limit: usize) -> rusqlite::Result<Vec<Queued>> {
    let sql = "
        SELECT number, operation, request, alone FROM bdc_outbox_records INDEXED BY bdc_outbox_queued
        WHERE uid = ? AND state = 0 ORDER BY number LIMIT ?";
    let read = |row: &rusqlite::Row<'_>| {
        Ok(Queued { number: row.get(0)?, operation: row.get(1)?, request: row.get(2)?, alone: row.get(3)? })
    };
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    db.prepare_cached(sql)?.query_map(params![uid, limit], read)?.collect()
}

/// Whether the order of a business requires that something be known first: an operation that overwrites or removes is
/// not sent while the fate of an earlier request is unknown, and nothing is sent while its own is.
fn is_held(db: &Connection, uid: &str, number: i64, operation: &Operation) -> rusqlite::Result<bool> {
    // None of the business is under way, since it has a lane.
    let sql = "SELECT EXISTS (SELECT 1 FROM bdc_outbox_records WHERE uid = ? AND number < ? AND state IN (5, 6))";
    if operation.destructive {
        return db.prepare_cached(sql)?.query_row(params![uid, number], |row| row.get(0));
    }
    let mut barrier = db.prepare_cached(
        "SELECT EXISTS (
            SELECT 1 FROM bdc_outbox_records WHERE uid = ? AND operation = ? AND number < ? AND state IN (5, 6)
        )",
    )?;
    for known in OPERATIONS.iter().filter(|operation| operation.destructive) {
        if barrier.query_row(params![uid, known.id, number], |row| row.get(0))? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Marks a batch as sending.
fn depart(
    db: &Connection,
    now: Millis,
    uid: &str,
    called: &Operation,
    address: &Address,
    rows: &[Row],
    events: &mut Vec<Event>,
) -> rusqlite::Result<()> {
    let id = address.id.as_bytes();
    let records = i64::try_from(rows.len()).unwrap_or(i64::MAX);
    db.prepare_cached("INSERT INTO bdc_outbox_sends (id, uid, operation, begun, records) VALUES (?, ?, ?, ?, ?)")?
        .execute(params![id, uid, called.id, now, records])?;
    // The rows are the first ones that are queued.
    let last = rows.last().map_or(0, |row| row.number);
    let sql = "
        UPDATE bdc_outbox_records INDEXED BY bdc_outbox_queued SET state = 1, reason = NULL, since = ?3, send = ?4, attempts = attempts + 1
        WHERE uid = ?1 AND state = 0 AND number <= ?2 RETURNING number, operation, record_id";
    let event = |row: &rusqlite::Row<'_>| {
        Ok(Event {
            number: row.get(0)?,
            uid: Some(uid.to_owned()).filter(|uid| !uid.is_empty()),
            operation: row.get(1)?,
            record_id: row.get(2)?,
            from: State::Queued,
            to: State::Sending,
        })
    };
    for event in db.prepare_cached(sql)?.query_map(params![uid, last, now, id], event)? {
        events.push(event?);
    }
    count(db, State::Queued, State::Sending, rows.len())?;
    db.prepare_cached(
        "UPDATE bdc_outbox_lanes SET send = ?2, served = (SELECT max(served) + 1 FROM bdc_outbox_lanes) WHERE uid = ?1",
    )?
    .execute(params![uid, id])?;
    Ok(())
}

fn park(db: &Connection, now: Millis, number: i64, reason: &str, events: &mut Vec<Event>) -> rusqlite::Result<()> {
    let parked = (State::Queued, State::Parked);
    events.extend(transition(
        db,
        now,
        Which::Number(number),
        parked,
        Move { reason: Some(reason), ..Move::default() },
    )?);
    Ok(())
}
