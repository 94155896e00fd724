//! Applies callbacks.

use std::collections::HashSet;

use super::{
    rows::{Found, Locked, Move, lock, lock_lane, lock_of, release, transition},
    sends::{Send, left, lock_send, move_sends},
    session::{Session, bytes, get, longs, text, texts, time},
};
use crate::{
    Event, OutboxError, State,
    record::operation,
    store::{Applied, Arrival, batch::pulled_by},
};
use business_data_connector::Effect;

/// Any callback, with the lane of its business locked.
pub(super) async fn arrived(session: &Session<'_>, arrival: &Arrival) -> Result<(Vec<Event>, Applied), OutboxError> {
    let id = arrival.send.as_bytes().to_vec();
    let sql = "SELECT uid FROM bdc_outbox.sends WHERE id = $1";
    let Some(row) = session.query_opt(sql, &[bytes(&id)]).await? else {
        return Ok((Vec::new(), Applied::Foreign));
    };
    let uid: String = get(&row, 0)?;
    lock_lane(session, &uid).await?;
    let Some(send) = lock_send(session, &id).await? else { return Ok((Vec::new(), Applied::Foreign)) };
    let pull = operation(&send.operation).is_some_and(|operation| operation.effect == Effect::Read);
    let events = match (&arrival.found, pull) {
        (Some(found), true) if !arrival.failed => pulled(session, arrival, &send, found).await?,
        // The pull is due again.
        (_, true) => Vec::new(),
        (_, false) => executed(session, arrival, &send).await?,
    };
    if !events.is_empty() {
        release(session, &uid).await?;
    }
    Ok((events, Applied::Known))
}

/// The states of those whose fate is not known.
const OPEN: [State; 2] = [State::Unknown, State::Unconfirmed];

/// The callback of a request that was pushed. What is settled stays so.
async fn executed(session: &Session<'_>, arrival: &Arrival, send: &Send) -> Result<Vec<Event>, OutboxError> {
    let id = arrival.send.as_bytes().to_vec();
    let message = arrival.message.as_deref();
    if !arrival.failed {
        let underway = [State::Sending, State::Taken];
        let moved = move_sends(session, &[&id], &underway, State::Confirmed, None).await?;
        let mut events: Vec<Event> = moved.into_iter().map(|(_, event)| event).collect();
        let others = lock_of(session, &id, &OPEN, Locked::Wait).await?;
        let others = others.into_iter().filter(|row| OPEN.contains(&row.state)).collect();
        events.extend(transition(session, others, State::Confirmed, Move::default()).await?);
        return Ok(events);
    }
    let mut rows = lock_of(session, &id, &OPEN, Locked::Wait).await?;
    rows.retain(|row| row.state != State::Confirmed);
    let events = if send.records <= 1 {
        let reason = Some(message.unwrap_or("the callback reports a failure, without a reason"));
        transition(session, rows, State::Refused, Move { reason, ..Move::default() }).await?
    } else {
        // Which of its records failed is not said.
        rows.retain(|row| matches!(row.state, State::Sending | State::Taken));
        let told = message.map(|message| format!(": {message}")).unwrap_or_default();
        let reason = format!("the callback of a batch of {} reports a failure{told}", send.records);
        let check_at = Some(session.at(arrival.check_at));
        let unknown = Move { reason: Some(&reason), check_at, alone: true, resent: false };
        transition(session, rows, State::Unknown, unknown).await?
    };
    left(session, &id).await?;
    Ok(events)
}

/// The callback of a pull. What it returned is confirmed, whatever was known before; what it did not is absent once a
/// second pull does not return it either.
async fn pulled(
    session: &Session<'_>,
    arrival: &Arrival,
    send: &Send,
    found: &HashSet<String>,
) -> Result<Vec<Event>, OutboxError> {
    let operations: Vec<&str> = pulled_by(&send.operation).collect();
    let sql = "
        SELECT number, uid, operation, record_id, state, attempts, absent, checking FROM bdc_outbox.records
        WHERE uid = $1 AND state IN (5, 6) AND operation = ANY($2)";
    let rows = lock(session, sql, Locked::Wait, &[text(&send.uid), texts(&operations)]).await?;
    let is_found = |row: &Found| row.record_id.as_ref().is_some_and(|id| found.contains(id));
    let (returned, others): (Vec<_>, Vec<_>) = rows.into_iter().partition(is_found);
    let reason = format!("{} returned it", send.operation);
    let mut events =
        transition(session, returned, State::Confirmed, Move { reason: Some(&reason), ..Move::default() }).await?;

    let id = arrival.send.as_bytes().to_vec();
    let asked = others.into_iter().filter(|row| row.checking.as_deref() == Some(&id[..]));
    let (second, first): (Vec<_>, Vec<_>) = asked.partition(|row| row.absent >= 1);
    absent(session, &first, Some(arrival)).await?;
    if arrival.resend_absent {
        let reason = Some("two pulls did not return it, so it is sent again");
        let told = Move { reason, alone: true, resent: true, check_at: None };
        events.extend(transition(session, second, State::Queued, told).await?);
    } else {
        absent(session, &second, None).await?;
    }
    Ok(events)
}

/// Counts a pull that did not return records. Those for which it was the first are looked for again.
async fn absent(session: &Session<'_>, rows: &[Found], again: Option<&Arrival>) -> Result<(), OutboxError> {
    let numbers: Vec<i64> = rows.iter().map(|row| row.number).collect();
    if numbers.is_empty() {
        return Ok(());
    }
    let sql = "
        UPDATE bdc_outbox.records SET absent = absent + 1, checking = NULL, check_at = $2 WHERE number = ANY($1)";
    let check_at = again.map(|arrival| session.at(arrival.check_at));
    session.query(sql, &[longs(&numbers), time(&check_at)]).await.map(drop)
}
