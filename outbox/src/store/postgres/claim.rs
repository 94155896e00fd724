//! Claims the next batch: the lane that waited longest, and what is first in it.

use std::time::Duration;

use super::{
    pause,
    rows::{Move, event, lock, transition},
    session::{Session, bytes, flag, get, int, long, longs, text, texts, time},
};
use crate::{
    Event, OutboxError, State,
    record::operation,
    store::{
        Address, Batch, Claim, Row,
        batch::{Queued, fill},
    },
};
use business_data_connector::{OPERATIONS, Operation};

/// How long a lane waits before it is looked at again that is held by a request whose fate is not known.
const HELD: Duration = Duration::from_secs(5);

/// How long a lane waits whose first request is locked by the transaction of somebody else.
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

pub(super) async fn claim(
    session: &Session<'_>,
    claim: &Claim,
    events: &mut Vec<Event>,
) -> Result<Claimed, OutboxError> {
    if pause::is_paused(session).await? {
        return Ok(Claimed::Nothing);
    }
    for _ in 0..LANES {
        let Some((uid, failures)) = next_lane(session).await? else { return Ok(Claimed::Nothing) };
        let Some(mut queued) = queued(session, &uid, claim).await? else {
            postpone(session, &uid, LOCKED).await?;
            continue;
        };
        let Some(first) = queued.first() else {
            session.query("DELETE FROM bdc_outbox.lanes WHERE uid = $1", &[text(&uid)]).await?;
            continue;
        };
        let number = first.number;
        let Some(known) = operation(&first.operation) else {
            let reason = format!("there is no operation {:?} in this version", first.operation);
            park(session, number, &reason, events).await?;
            continue;
        };
        if let Some(barrier) = barrier(session, &uid, number, known).await? {
            if barrier < number {
                postpone(session, &uid, HELD).await?;
                continue;
            }
            queued.retain(|queued| queued.number < barrier);
        }
        let (called, together, rows) = fill(known, queued, claim.limits);
        let address = match (claim.addresses)(called, Some(uid.as_str()).filter(|uid| !uid.is_empty())) {
            Ok(address) => address,
            Err(error) => {
                park(session, number, &error.to_string(), events).await?;
                continue;
            }
        };
        events.extend(depart(session, &uid, called, &address, &rows, claim.lease).await?);
        return Ok(Claimed::Batch(Batch { address, uid, operation: called, together, rows, failures }));
    }
    Ok(Claimed::More)
}

/// Locks the next lane.
async fn next_lane(session: &Session<'_>) -> Result<Option<(String, u32)>, OutboxError> {
    let sql = "
        SELECT uid, failures FROM bdc_outbox.lanes
        WHERE send IS NULL AND not_before <= $1 AND NOT EXISTS (
            SELECT FROM bdc_outbox.pauses WHERE scope = 'u' || lanes.uid AND (until IS NULL OR until > $1)
        )
        ORDER BY served, uid LIMIT 1 FOR UPDATE OF lanes SKIP LOCKED";
    let row = session.query_opt(sql, &[time(&session.now)]).await?;
    row.map(|row| Ok((get(&row, 0)?, u32::try_from(get::<i32>(&row, 1)?).unwrap_or_default()))).transpose()
}

/// Locks what is first in a lane. `None` if somebody else has locked the very first: waiting for them would delay what
/// this transaction has to store.
async fn queued(session: &Session<'_>, uid: &str, claim: &Claim) -> Result<Option<Vec<Queued>>, OutboxError> {
    let sql = "
        WITH first AS MATERIALIZED (
            SELECT number, octet_length(request) AS bytes FROM bdc_outbox.records
            WHERE uid = $1 AND state = 0 ORDER BY number LIMIT $2
        ), pick AS MATERIALIZED (
            SELECT number FROM (SELECT number, sum(bytes) OVER (ORDER BY number) - bytes AS before FROM first) AS sums
            WHERE before <= $3
        ), locked AS MATERIALIZED (
            SELECT number, operation, request, alone FROM bdc_outbox.records
            WHERE number IN (SELECT number FROM pick) AND state = 0 FOR UPDATE SKIP LOCKED
        )
        SELECT number, operation, request, alone FROM pick LEFT JOIN locked USING (number) ORDER BY number";
    let count = |limit: usize| i64::try_from(limit).unwrap_or(i64::MAX);
    let (records, bytes) = (count(claim.limits.records.max(1)), count(claim.limits.bytes));
    let rows = session.query(sql, &[text(&uid), long(&records), long(&bytes)]).await?;
    let mut queued = Vec::with_capacity(rows.len());
    for row in &rows {
        // The order ends at what somebody else has locked.
        let Some(operation) = get(row, 1)? else { break };
        queued.push(Queued { number: get(row, 0)?, operation, request: get(row, 2)?, alone: get(row, 3)? });
    }
    Ok(Some(queued).filter(|queued| rows.is_empty() || !queued.is_empty()))
}

/// The first request that has to be known before what comes after it is sent: an operation that overwrites or removes
/// is not sent while the fate of an earlier request is unknown, and nothing is sent after it while its own is.
async fn barrier(
    session: &Session<'_>,
    uid: &str,
    number: i64,
    operation: &Operation,
) -> Result<Option<i64>, OutboxError> {
    let sql = "
        SELECT min(number) FROM bdc_outbox.records
        WHERE uid = $1 AND state IN (1, 5, 6) AND (operation = ANY($2) OR ($3 AND number < $4))";
    let destructive: Vec<_> = OPERATIONS.iter().filter(|known| known.destructive).map(|known| known.id).collect();
    let barriers = texts(&destructive);
    let any = flag(&operation.destructive);
    get(&session.query_one(sql, &[text(&uid), barriers, any, long(&number)]).await?, 0)
}

async fn postpone(session: &Session<'_>, uid: &str, delay: Duration) -> Result<(), OutboxError> {
    let sql = "UPDATE bdc_outbox.lanes SET not_before = $2 WHERE uid = $1";
    session.query(sql, &[text(&uid), time(&(session.now + delay))]).await.map(drop)
}

/// Marks a batch as sending, and leases its lane. The address is the fence: whoever stores what became of the batch
/// names it, and it is used once.
async fn depart(
    session: &Session<'_>,
    uid: &str,
    called: &Operation,
    address: &Address,
    rows: &[Row],
    lease: Duration,
) -> Result<Vec<Event>, OutboxError> {
    let send = address.id.as_bytes().to_vec();
    let send = || bytes(&send);
    let now = || time(&session.now);
    let numbers: Vec<i64> = rows.iter().map(|row| row.number).collect();
    let sent = i32::try_from(rows.len()).unwrap_or(i32::MAX);
    let sql = "INSERT INTO bdc_outbox.sends (id, uid, operation, begun, records) VALUES ($1, $2, $3, $4, $5)";
    let values = [send(), text(&uid), text(&called.id), now(), int(&sent)];
    session.query(sql, &values).await?;

    let found = lock(session, "number = ANY($1) ORDER BY number", &[longs(&numbers)]).await?;
    let sql = "
        UPDATE bdc_outbox.records SET state = 1, reason = NULL, since = $2, send = $3, attempts = attempts + 1
        WHERE number = ANY($1)";
    session.query(sql, &[longs(&numbers), now(), send()]).await?;
    let sql = "
        UPDATE bdc_outbox.lanes SET send = $2, lease_until = $3, served = nextval('bdc_outbox.turns') WHERE uid = $1";
    let until = session.now + lease;
    session.query(sql, &[text(&uid), send(), time(&until)]).await?;
    Ok(found.into_iter().map(|row| event(row, State::Sending)).collect())
}

async fn park(session: &Session<'_>, number: i64, reason: &str, events: &mut Vec<Event>) -> Result<(), OutboxError> {
    let rows = lock(session, "number = $1 FOR UPDATE", &[long(&number)]).await?;
    let told = Move { reason: Some(reason), ..Move::default() };
    events.extend(transition(session, rows, State::Parked, told).await?);
    Ok(())
}
