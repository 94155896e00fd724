//! Claims the next batch: the lane that waited longest, and what is first in it.

use business_data_connector::{OPERATIONS, Operation};
use rusqlite::{Connection, OptionalExtension, params};

use super::{
    batches::last,
    pause,
    rows::{Move, Which, count, transition},
};
use crate::{
    Event, State,
    record::operation,
    store::{
        Address, Batch, Claim,
        batch::{Queued, fill},
    },
    time::Millis,
};

/// How long a lane waits before it is looked at again that is held by a request whose fate is not known, in
/// milliseconds.
const HELD: Millis = 5_000;

/// A request that is queued.
struct Waiting {
    queued: Queued,
    record_id: Option<String>,
    follows: bool,
}

/// What is told of it when it leaves.
struct Part {
    number: i64,
    operation: String,
    record_id: Option<String>,
    /// Whether it has no state of its own.
    follows: bool,
}

impl Waiting {
    fn split(self) -> (Part, Queued) {
        let Self { queued, record_id, follows } = self;
        (Part { number: queued.number, operation: queued.operation.clone(), record_id, follows }, queued)
    }
}

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
        let waiting = queued(db, &lane.uid, claim.limits.records.max(1))?;
        let Some(Waiting { queued: first, .. }) = waiting.first() else {
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
        let (parts, queued): (Vec<_>, _) = waiting.into_iter().map(Waiting::split).unzip();
        let (called, together, rows) = fill(known, queued, claim.limits);
        let parts = parts.get(..rows.len()).unwrap_or_default();
        let uid = Some(lane.uid.as_str()).filter(|uid| !uid.is_empty());
        let address = match (claim.addresses)(called, uid) {
            Ok(address) => address,
            Err(error) => {
                park(db, now, number, &error.to_string(), events)?;
                continue;
            }
        };
        depart(db, now, &lane.uid, called, &address, parts, events)?;
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

/// Those that were sent before and are queued again come before what was never sent, unless somebody decided so later.
fn queued(db: &Connection, uid: &str, limit: usize) -> rusqlite::Result<Vec<Waiting>> {
    let again = "
        SELECT number, operation, request, alone, record_id FROM bdc_outbox_records INDEXED BY bdc_outbox_again
        WHERE uid = ?1 AND state = 0 AND number > ?3 ORDER BY number LIMIT ?2";
    let new = "
        SELECT number, operation, request, alone, record_id FROM bdc_outbox_records INDEXED BY bdc_outbox_follows
        WHERE uid = ?1 AND state IS NULL AND number > ?3 ORDER BY number LIMIT ?2";
    let count = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut waiting = Vec::new();
    for (sql, follows, after) in [(again, false, 0), (new, true, last(db, uid)?)] {
        let read = |row: &rusqlite::Row<'_>| {
            let (number, operation, alone) = (row.get(0)?, row.get(1)?, row.get(3)?);
            let queued = Queued { number, operation, request: row.get(2)?, alone };
            Ok(Waiting { queued, record_id: row.get(4)?, follows })
        };
        for row in db.prepare_cached(sql)?.query_map(params![uid, count, after], read)? {
            waiting.push(row?);
        }
    }
    waiting.sort_by_key(|waiting| waiting.queued.number);
    waiting.truncate(limit);
    Ok(waiting)
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
    parts: &[Part],
    events: &mut Vec<Event>,
) -> rusqlite::Result<()> {
    let id = address.id.as_bytes();
    let records = i64::try_from(parts.len()).unwrap_or(i64::MAX);
    let mut following = parts.iter().filter(|part| part.follows).map(|part| part.number);
    let first = following.next();
    let last = following.next_back().or(first);
    let sql = "
        INSERT INTO bdc_outbox_sends (id, uid, operation, begun, records, first, last, state, since)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 1, ?4)";
    db.prepare_cached(sql)?.execute(params![id, uid, called.id, now, records, first, last])?;
    let sql = "
        UPDATE bdc_outbox_records SET state = 1, reason = NULL, since = ?2, send = ?3, attempts = attempts + 1
        WHERE number = ?1";
    for part in parts.iter().filter(|part| !part.follows) {
        db.prepare_cached(sql)?.execute(params![part.number, now, id])?;
    }
    let business = Some(uid).filter(|uid| !uid.is_empty());
    events.extend(parts.iter().map(|part| Event {
        number: part.number,
        uid: business.map(str::to_owned),
        operation: part.operation.clone(),
        record_id: part.record_id.clone(),
        from: State::Queued,
        to: State::Sending,
    }));
    count(db, State::Queued, State::Sending, parts.len())?;
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
