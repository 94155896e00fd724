//! Applies callbacks.

use std::collections::HashSet;

use business_data_connector::Effect;
use rusqlite::{Connection, OptionalExtension, params};

use super::rows::{Move, Which, release, select, transition};
use crate::{
    Event, State,
    record::operation,
    store::{Applied, Arrival, batch::pulled_by},
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
    let batch = format!("the callback of a batch of {} reports a failure", send.records);
    let (to, reason) = match arrival.failed {
        false => (State::Confirmed, None),
        true if send.records <= 1 => {
            (State::Refused, Some(message.unwrap_or("the callback reports a failure, without a reason").to_owned()))
        }
        // Which of its records failed is not said.
        true => (State::Unknown, Some(message.map_or(batch.clone(), |message| format!("{batch}: {message}")))),
    };
    let mut moved = Move { reason: reason.as_deref(), ..Move::default() };
    if to == State::Unknown {
        (moved.check_at, moved.alone) = (Some(arrival.check_at), true);
    }
    for from in [State::Sending, State::Taken, State::Unknown, State::Unconfirmed] {
        let fresh = matches!(from, State::Sending | State::Taken);
        if to != State::Unknown || fresh {
            events.extend(transition(db, now, Which::Send(arrival.send.as_bytes()), (from, to), moved)?);
        }
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
    let by_this = |id: &str| pulled_by(&send.operation).any(|operation| operation == id);
    let id = arrival.send.as_bytes();
    for row in select(db, "uid = ? AND state IN (5, 6)", [&send.uid])?.into_iter().filter(|row| by_this(&row.operation))
    {
        if row.record_id.as_ref().is_some_and(|id| found.contains(id)) {
            let reason = format!("{} returned it", send.operation);
            let moved = Move { reason: Some(&reason), ..Move::default() };
            events.extend(transition(db, now, Which::Number(row.number), (row.state, State::Confirmed), moved)?);
        } else if row.checking.as_deref() == Some(&id[..]) {
            let second = row.absent >= 1;
            if second && arrival.resend_absent {
                let sql = "UPDATE bdc_outbox_records SET resent = resent + 1, absent = 0 WHERE number = ?";
                db.prepare_cached(sql)?.execute([row.number])?;
                let reason = Some("two pulls did not return it, so it is sent again");
                let moved = Move { reason, alone: true, ..Move::default() };
                events.extend(transition(db, now, Which::Number(row.number), (row.state, State::Queued), moved)?);
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
