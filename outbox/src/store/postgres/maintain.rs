//! What follows from the end of a process, and from the passing of time.

use std::time::Duration;

use super::{
    rows::{Move, code, lock, transition},
    session::{Session, get, long, small, time},
};
use crate::{Event, OutboxError, State, store::Maintenance, time::Millis};

/// Leases that have ended. What somebody has locked moves just now, or is found the next time.
pub(super) async fn recover(session: &Session<'_>, check_at: Millis) -> Result<Vec<Event>, OutboxError> {
    let sql = "
        WITH ended AS MATERIALIZED (
            SELECT uid FROM bdc_outbox.lanes WHERE lease_until <= $1 FOR UPDATE SKIP LOCKED
        )
        UPDATE bdc_outbox.lanes SET send = NULL, lease_until = NULL FROM ended WHERE lanes.uid = ended.uid";
    session.query(sql, &[time(&session.now)]).await?;
    let condition = "
        state = 1 AND NOT EXISTS (SELECT FROM bdc_outbox.lanes WHERE lanes.send = records.send)
        ORDER BY number FOR UPDATE SKIP LOCKED";
    let rows = lock(session, condition, &[]).await?;
    let reason = Some("the lease of its worker ended while it was being sent");
    let told = Move { reason, check_at: Some(session.at(check_at)), ..Move::default() };
    transition(session, rows, State::Unknown, told).await
}

/// How long it is remembered which batch a callback belongs to: as long as addresses are valid.
const REMEMBERED: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// Held by whoever maintains the tables.
const LOCK: i64 = 0x6264_635f_6d61_696e;

pub(super) async fn maintain(session: &Session<'_>, maintenance: &Maintenance) -> Result<Vec<Event>, OutboxError> {
    let alone = session.query_one("SELECT pg_try_advisory_xact_lock($1)", &[long(&LOCK)]).await?;
    if !get::<bool>(&alone, 0)? {
        return Ok(Vec::new());
    }
    let limit = i64::try_from(maintenance.limit).unwrap_or(i64::MAX);
    let limit = || long(&limit);
    let before = session.before(maintenance.unconfirmed_after);
    let condition = "
        number IN (SELECT number FROM bdc_outbox.records WHERE state = 2 AND since <= $1 ORDER BY since LIMIT $2)
        AND state = 2 ORDER BY number FOR UPDATE SKIP LOCKED";
    let silent = lock(session, condition, &[time(&before), limit()]).await?;
    let told = Move { reason: Some("no callback arrived in time"), check_at: Some(session.now), ..Move::default() };
    let events = transition(session, silent, State::Unconfirmed, told).await?;
    for (state, keep) in &maintenance.keep {
        let sql = "
            WITH old AS MATERIALIZED (
                SELECT number FROM bdc_outbox.records WHERE state = $1 AND since <= $2 ORDER BY since LIMIT $3
                FOR UPDATE SKIP LOCKED
            )
            DELETE FROM bdc_outbox.records USING old WHERE records.number = old.number";
        let before = session.before(*keep);
        session.query(sql, &[small(&code(*state)), time(&before), limit()]).await?;
    }
    let sql = "
        WITH old AS MATERIALIZED (
            SELECT id FROM bdc_outbox.sends WHERE begun <= $1 AND NOT EXISTS (
                SELECT FROM bdc_outbox.records WHERE records.send = sends.id
            ) ORDER BY begun LIMIT $2
        )
        DELETE FROM bdc_outbox.sends USING old WHERE sends.id = old.id";
    session.query(sql, &[time(&session.before(REMEMBERED)), limit()]).await?;
    fold(session).await?;
    Ok(events)
}

/// Replaces tallies by their sums.
async fn fold(session: &Session<'_>) -> Result<(), OutboxError> {
    let sql = "
        WITH folded AS (DELETE FROM bdc_outbox.tallies RETURNING state, change)
        INSERT INTO bdc_outbox.tallies SELECT state, sum(change) FROM folded GROUP BY state HAVING sum(change) <> 0";
    session.query(sql, &[]).await.map(drop)
}
