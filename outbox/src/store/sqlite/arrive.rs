//! Applies callbacks.

use std::collections::HashSet;

use business_data_connector::{Effect, OPERATIONS};
use rusqlite::{Connection, OptionalExtension, params};

use super::rows::{Move, release, select, transition};
use crate::{
    Event, State,
    record::operation,
    store::{Applied, Arrival},
    time::Millis,
};

struct Send {
    uid: String,
    operation: String,
    records: i64,
}

pub(super) fn arrived(db: &Connection, now: Millis, arrival: &Arrival) -> rusqlite::Result<(Vec<Event>, Applied)> {
    let read = |row: &rusqlite::Row<'_>| Ok(Send { uid: row.get(0)?, operation: row.get(1)?, records: row.get(2)? });
    let send = db
        .prepare_cached("SELECT uid, operation, records FROM bdc_outbox_sends WHERE id = ?")?
        .query_row([arrival.send.as_bytes()], read)
        .optional()?;
    let Some(send) = send else { return Ok((Vec::new(), Applied::Foreign)) };
    let pull = operation(&send.operation).is_some_and(|operation| operation.effect == Effect::Read);
    let events = match (&arrival.found, pull) {
        (Some(found), true) if !arrival.failed => pulled(db, now, arrival, &send, found)?,
        // The pull is due again.
        (_, true) => Vec::new(),
        (_, false) => executed(db, now, arrival, &send)?,
    };
    if !events.is_empty() {
        release(db, &send.uid)?;
    }
    Ok((events, Applied::Known))
}

/// The callback of a request that was pushed. What is settled stays so.
fn executed(db: &Connection, now: Millis, arrival: &Arrival, send: &Send) -> rusqlite::Result<Vec<Event>> {
    let mut events = Vec::new();
    let message = arrival.message.as_deref();
    for row in select(db, "send = ? AND state IN (1, 2, 5, 6)", [arrival.send.as_bytes()])? {
        let fresh = matches!(row.state, State::Sending | State::Taken);
        let event = if !arrival.failed {
            transition(db, now, row, State::Confirmed, Move::default())?
        } else if send.records <= 1 {
            let reason = Some(message.unwrap_or("the callback reports a failure, without a reason"));
            transition(db, now, row, State::Refused, Move { reason, ..Move::default() })?
        } else if fresh {
            // Which of its records failed is not said.
            let told = message.map(|message| format!(": {message}")).unwrap_or_default();
            let reason = format!("the callback of a batch of {} reports a failure{told}", send.records);
            let check_at = Some(arrival.check_at);
            transition(db, now, row, State::Unknown, Move { reason: Some(&reason), check_at, alone: true })?
        } else {
            continue;
        };
        events.push(event);
    }
    Ok(events)
}

/// The callback of a pull. What it returned is confirmed, whatever was known before; what it did not is absent once a
/// second pull does not return it either.
fn pulled(
    db: &Connection,
    now: Millis,
    arrival: &Arrival,
    send: &Send,
    found: &HashSet<String>,
) -> rusqlite::Result<Vec<Event>> {
    let mut events = Vec::new();
    let by_this = |id: &str| {
        OPERATIONS.iter().any(|operation| {
            operation.id == id && operation.record.and_then(|record| record.pulled_by) == Some(&send.operation)
        })
    };
    let id = arrival.send.as_bytes();
    for row in select(db, "uid = ? AND state IN (5, 6)", [&send.uid])?.into_iter().filter(|row| by_this(&row.operation))
    {
        if row.record_id.as_ref().is_some_and(|id| found.contains(id)) {
            let reason = format!("{} returned it", send.operation);
            events.push(transition(db, now, row, State::Confirmed, Move { reason: Some(&reason), ..Move::default() })?);
        } else if row.checking.as_deref() == Some(&id[..]) {
            let second = row.absent >= 1;
            if second && arrival.resend_absent {
                let sql = "UPDATE bdc_outbox_records SET resent = resent + 1, absent = 0 WHERE number = ?";
                db.prepare_cached(sql)?.execute([row.number])?;
                let reason = Some("two pulls did not return it, so it is sent again");
                events.push(transition(db, now, row, State::Queued, Move { reason, alone: true, ..Move::default() })?);
            } else {
                let sql = "
                    UPDATE bdc_outbox_records SET absent = absent + 1, checking = NULL, check_at = ?2 WHERE number = ?1";
                let check_at = Some(arrival.check_at).filter(|_| !second);
                db.prepare_cached(sql)?.execute(params![row.number, check_at])?;
            }
        }
    }
    Ok(events)
}
