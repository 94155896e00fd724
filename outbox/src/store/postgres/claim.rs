//! Claims the next batch: the lane that waited longest, and what is first in it.

use std::time::Duration;

use super::{
    next::{Lane, next_lane},
    pause,
    rows::{Locked, Move, lock_one, transition},
    session::{Session, bytes, int, longs, text, time},
};
use crate::{
    Event, OutboxError, State,
    record::operation,
    store::{Batch, Claim, batch::fill},
};

/// How long a lane waits before it is looked at again that is held by a request whose fate is not known.
const HELD: Duration = Duration::from_secs(5);

/// How long a lane waits whose first request cannot be sent, and is locked by the transaction of somebody else.
const LOCKED: Duration = Duration::from_millis(100);

/// How many lanes are looked at in one transaction.
const LANES: usize = 16;

/// What a transaction found.
pub(super) enum Claimed {
    Batch(Batch),
    /// There is nothing to send now.
    Nothing,
    /// There may be more: the transaction was long enough.
    More,
}

/// Claims a batch from the lane that is next, or from one that comes after it, and commits.
pub(super) async fn claim(
    session: Session<'_>,
    claim: &Claim,
    mut lane: Option<Lane>,
    events: &mut Vec<Event>,
) -> Result<Claimed, OutboxError> {
    for _ in 0..LANES {
        if lane.as_ref().is_none_or(|lane| lane.pauses_ended) {
            pause::remove_ended(&session).await?;
        }
        let Some(found) = lane else {
            session.commit().await?;
            return Ok(Claimed::Nothing);
        };
        if let Some(departure) = departure(&session, claim, found, events).await? {
            return Ok(Claimed::Batch(depart(session, departure, claim.lease, events).await?));
        }
        lane = next_lane(&session, claim).await?;
    }
    session.commit().await?;
    Ok(Claimed::More)
}

/// What a lane sends; `None` if it waits, has nothing, or begins with what cannot be sent.
async fn departure(
    session: &Session<'_>,
    claim: &Claim,
    lane: Lane,
    events: &mut Vec<Event>,
) -> Result<Option<Departure>, OutboxError> {
    let Lane { uid, failures, barrier, is_stale, mut queued, events: mut moves, .. } = lane;
    if is_stale {
        return Ok(None);
    }
    let Some(first) = queued.first() else {
        session.query("DELETE FROM bdc_outbox.lanes WHERE uid = $1", &[text(&uid)]).await?;
        return Ok(None);
    };
    let number = first.number;
    let Some(known) = operation(&first.operation) else {
        let reason = format!("there is no operation {:?} in this version", first.operation);
        park(session, &uid, number, &reason, events).await?;
        return Ok(None);
    };
    if barrier.is_some_and(|barrier| barrier < number) {
        postpone(session, &uid, HELD).await?;
        return Ok(None);
    }
    queued.retain(|queued| barrier.is_none_or(|barrier| queued.number < barrier));
    let (called, together, rows) = fill(known, queued, claim.limits);
    let address = match (claim.addresses)(called, Some(uid.as_str()).filter(|uid| !uid.is_empty())) {
        Ok(address) => address,
        Err(error) => {
            park(session, &uid, number, &error.to_string(), events).await?;
            return Ok(None);
        }
    };
    moves.truncate(rows.len());
    Ok(Some(Departure { batch: Batch { address, uid, operation: called, together, rows, failures }, moves }))
}

/// What is about to leave.
struct Departure {
    batch: Batch,
    moves: Vec<Event>,
}

async fn postpone(session: &Session<'_>, uid: &str, delay: Duration) -> Result<(), OutboxError> {
    let sql = "UPDATE bdc_outbox.lanes SET not_before = $2 WHERE uid = $1";
    session.query(sql, &[text(&uid), time(&(session.now + delay))]).await.map(drop)
}

/// Marks a batch as sending, leases its lane, and commits. The address is the fence: whoever stores what became of the
/// batch names it, and it is used once.
async fn depart(
    session: Session<'_>,
    Departure { batch, moves }: Departure,
    lease: Duration,
    events: &mut Vec<Event>,
) -> Result<Batch, OutboxError> {
    // A request of which somebody has decided meanwhile makes this fail, since `numbers` is not null.
    let sql = "
        WITH gone AS (
            DELETE FROM bdc_outbox.queue WHERE uid = $2 AND number = ANY($7) RETURNING number
        ), leased AS (
            UPDATE bdc_outbox.lanes SET send = $1, lease_until = $6, served = nextval('bdc_outbox.turns')
            WHERE uid = $2
        ), counted AS (
            INSERT INTO bdc_outbox.tallies VALUES (0, -$5), (1, $5)
        )
        INSERT INTO bdc_outbox.sends (id, uid, operation, begun, since, state, records, last, numbers)
        SELECT $1, $2, $3, $4, $4, 1, $5, max(number), CASE count(*) WHEN $5 THEN array_agg(number ORDER BY number) END
        FROM gone";
    let send = batch.address.id.as_bytes().to_vec();
    let numbers: Vec<i64> = batch.rows.iter().map(|row| row.number).collect();
    let (now, until) = (session.now, session.now + lease);
    let sent = i32::try_from(batch.rows.len()).unwrap_or(i32::MAX);
    let values = [
        bytes(&send),
        text(&batch.uid),
        text(&batch.operation.id),
        time(&now),
        int(&sent),
        time(&until),
        longs(&numbers),
    ];
    session.commit_with(sql, &values).await?;
    events.extend(moves);
    Ok(batch)
}

async fn park(
    session: &Session<'_>,
    uid: &str,
    number: i64,
    reason: &str,
    events: &mut Vec<Event>,
) -> Result<(), OutboxError> {
    // Waiting for whoever has locked it would delay what this transaction has to store.
    let Some(row) = lock_one(session, number, Locked::Skip).await? else {
        return postpone(session, uid, LOCKED).await;
    };
    let told = Move { reason: Some(reason), ..Move::default() };
    events.extend(transition(session, vec![row], State::Parked, told).await?);
    Ok(())
}
