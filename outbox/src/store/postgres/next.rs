//! What is to be sent next: the lane that waited longest, and what is first in it.

use std::sync::LazyLock;

use business_data_connector::OPERATIONS;

use super::session::{Session, get, long, texts, time};
use crate::{
    Event, OutboxError, State,
    store::{Claim, batch::Queued},
};

/// A lane, which is locked.
pub(super) struct Lane {
    pub(super) uid: String,
    /// How often in a row requests of it could not be sent.
    pub(super) failures: u32,
    /// Whether there are pauses that are over.
    pub(super) pauses_ended: bool,
    /// The first request that has to be known before what comes after it is sent: an operation that overwrites or
    /// removes is not sent while the fate of an earlier request is unknown, and nothing is sent after it while its own
    /// is.
    pub(super) barrier: Option<i64>,
    /// Whether somebody sent something of it meanwhile, so that what was found is no longer so.
    pub(super) is_stale: bool,
    /// What is first. Nobody else takes it while the lane is locked.
    pub(super) queued: Vec<Queued>,
    /// What happens to that, if it leaves.
    pub(super) events: Vec<Event>,
}

/// The operations that overwrite or remove.
static DESTRUCTIVE: LazyLock<Vec<&str>> =
    LazyLock::new(|| OPERATIONS.iter().filter(|known| known.destructive).map(|known| known.id).collect());

/// Locks the next lane, and finds what is first in it.
pub(super) async fn next_lane(session: &Session<'_>, claim: &Claim) -> Result<Option<Lane>, OutboxError> {
    let sql = "
        WITH paused AS MATERIALIZED (
            SELECT coalesce(array_agg(scope) FILTER (WHERE until IS NULL OR until > $1), '{}') AS scopes,
                coalesce(bool_or(until <= $1), false) AS ended
            FROM bdc_outbox.pauses
        ), lane AS MATERIALIZED (
            SELECT uid, failures, served FROM bdc_outbox.lanes
            WHERE send IS NULL AND not_before <= $1 AND '' <> ALL ((SELECT scopes FROM paused)::text[])
                AND 'u' || uid <> ALL ((SELECT scopes FROM paused)::text[])
            ORDER BY served, uid LIMIT 1 FOR UPDATE OF lanes SKIP LOCKED
        ), first AS MATERIALIZED (
            SELECT number, operation, record_id, request, alone,
                sum(octet_length(request)) OVER (ORDER BY number) - octet_length(request) AS before
            FROM (
                SELECT number FROM bdc_outbox.queue WHERE uid = (SELECT uid FROM lane) ORDER BY number LIMIT $2
            ) AS waiting JOIN bdc_outbox.records USING (number)
        ), called AS MATERIALIZED (
            SELECT operation = ANY($4) AS destructive FROM first ORDER BY number LIMIT 1
        ), barrier AS MATERIALIZED (
            SELECT least((
                SELECT number FROM bdc_outbox.records
                WHERE uid = lane.uid AND state IN (5, 6) AND operation = ANY($4) ORDER BY number LIMIT 1
            ), CASE WHEN (SELECT destructive FROM called) THEN (
                SELECT number FROM bdc_outbox.records WHERE uid = lane.uid AND state IN (5, 6) ORDER BY number LIMIT 1
            ) END) AS barrier,
                -- What is locked is as it is now, everything else as it was when the statement began.
                served <> (SELECT served FROM bdc_outbox.lanes WHERE lanes.uid = lane.uid) AS stale
            FROM lane
        )
        SELECT lane.uid, lane.failures, barrier, (SELECT ended FROM paused), stale,
            number, operation, record_id, request, alone
        FROM lane CROSS JOIN barrier LEFT JOIN first ON before <= $3 ORDER BY number";
    let count = |limit: usize| i64::try_from(limit).unwrap_or(i64::MAX);
    let (records, bytes) = (count(claim.limits.records.max(1)), count(claim.limits.bytes));
    let values = [time(&session.now), long(&records), long(&bytes), texts(&*DESTRUCTIVE)];
    let rows = session.query(sql, &values).await?;
    let Some(row) = rows.first() else { return Ok(None) };
    let mut lane = Lane {
        uid: get(row, 0)?,
        failures: u32::try_from(get::<i32>(row, 1)?).unwrap_or_default(),
        barrier: get(row, 2)?,
        pauses_ended: get(row, 3)?,
        is_stale: get(row, 4)?,
        queued: Vec::with_capacity(rows.len()),
        events: Vec::with_capacity(rows.len()),
    };
    for row in &rows {
        // An empty lane has one row, without a number.
        let Some(number) = get(row, 5)? else { break };
        let operation: String = get(row, 6)?;
        lane.events.push(Event {
            number,
            uid: Some(lane.uid.clone()).filter(|uid| !uid.is_empty()),
            operation: operation.clone(),
            record_id: get(row, 7)?,
            from: State::Queued,
            to: State::Sending,
        });
        lane.queued.push(Queued { number, operation, request: get(row, 8)?, alone: get(row, 9)? });
    }
    Ok(Some(lane))
}
