//! What follows from the end of a process, and from the passing of time.

use std::time::{Duration, SystemTime};

use tokio_postgres::Row;

use super::{
    rows::{Locked, Move, code, lock_of, transition},
    sends::left,
    session::{Session, get, long, small, texts, time},
};
use crate::{Event, OutboxError, State, store::Maintenance, time::Millis};

/// Leases that have ended. What somebody has locked moves just now, or is found the next time; until then, its lane is
/// not free.
pub(super) async fn recover(session: &Session<'_>, check_at: Millis) -> Result<Vec<Event>, OutboxError> {
    let sql = "
        SELECT sends.id, lanes.uid FROM bdc_outbox.lanes JOIN bdc_outbox.sends ON sends.id = lanes.send
        WHERE lease_until <= $1 ORDER BY lanes.uid FOR UPDATE SKIP LOCKED";
    let ended = session.query(sql, &[time(&session.now)]).await?;
    if ended.is_empty() {
        return Ok(Vec::new());
    }
    let reason = Some("the lease of its worker ended while it was being sent");
    let told = Move { reason, check_at: Some(session.at(check_at)), ..Move::default() };
    let events = scatter(session, &ended, usize::MAX, State::Unknown, told).await?;
    let sql = "
        UPDATE bdc_outbox.lanes SET send = NULL, lease_until = NULL
        WHERE uid = ANY($1) AND NOT EXISTS (SELECT FROM bdc_outbox.sends WHERE id = lanes.send AND state = 1)";
    let uids: Vec<String> = ended.iter().map(|row| get(row, 1)).collect::<Result<_, _>>()?;
    session.query(sql, &[texts(&uids)]).await?;
    Ok(events)
}

/// Moves the requests that follow some batches on their own, until there are as many as are treated at once. What
/// somebody else has locked is found the next time.
async fn scatter(
    session: &Session<'_>,
    batches: &[Row],
    limit: usize,
    to: State,
    told: Move<'_>,
) -> Result<Vec<Event>, OutboxError> {
    let mut events = Vec::new();
    for batch in batches {
        if events.len() >= limit {
            break;
        }
        let id: Vec<u8> = get(batch, 0)?;
        let rows = lock_of(session, &id, &[], Locked::Skip).await?;
        events.extend(transition(session, rows, to, told).await?);
        left(session, &id).await?;
    }
    Ok(events)
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
    let sql = "
        SELECT id FROM bdc_outbox.sends WHERE state = 2 AND since <= $1 ORDER BY since LIMIT $2
        FOR UPDATE SKIP LOCKED";
    let silent = session.query(sql, &[time(&before), limit()]).await?;
    let told = Move { reason: Some("no callback arrived in time"), check_at: Some(session.now), ..Move::default() };
    let events = scatter(session, &silent, maintenance.limit, State::Unconfirmed, told).await?;
    for (state, keep) in &maintenance.keep {
        let (code, before) = (code(*state), session.before(*keep));
        let sql = "
            WITH old AS MATERIALIZED (
                SELECT number FROM bdc_outbox.records WHERE state = $1 AND state <> 0 AND since <= $2
                ORDER BY since LIMIT $3 FOR UPDATE SKIP LOCKED
            )
            DELETE FROM bdc_outbox.records USING old WHERE records.number = old.number RETURNING records.number";
        let values = [small(&code), time(&before), limit()];
        let removed = session.query(sql, &values).await?;
        if *state == State::Confirmed {
            remove_confirmed(session, before, maintenance.limit.saturating_sub(removed.len())).await?;
        }
    }
    let sql = "
        WITH old AS MATERIALIZED (
            SELECT id FROM bdc_outbox.sends WHERE state IS NULL AND begun <= $1 AND NOT EXISTS (
                SELECT FROM bdc_outbox.records WHERE number = ANY(sends.numbers)
            ) ORDER BY begun LIMIT $2
        )
        DELETE FROM bdc_outbox.sends USING old WHERE sends.id = old.id";
    session.query(sql, &[time(&session.before(REMEMBERED)), limit()]).await?;
    fold(session).await?;
    Ok(events)
}

/// Removes what follows batches that were confirmed long ago. Nothing else moves it.
async fn remove_confirmed(session: &Session<'_>, before: SystemTime, limit: usize) -> Result<(), OutboxError> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let values = [time(&before), long(&limit)];
    let sql = "
        WITH old AS MATERIALIZED (
            SELECT numbers FROM bdc_outbox.sends WHERE state = 3 AND since <= $1 ORDER BY since LIMIT $2
        ), gone AS MATERIALIZED (
            SELECT number FROM old JOIN bdc_outbox.records ON number = ANY(old.numbers) AND state = 0 LIMIT $2
            FOR UPDATE OF records SKIP LOCKED
        )
        DELETE FROM bdc_outbox.records USING gone WHERE records.number = gone.number";
    session.query(sql, &values).await?;
    // The first ones only, so that a statement does not go through all of them.
    let sql = "
        WITH old AS MATERIALIZED (
            SELECT id FROM bdc_outbox.sends WHERE state = 3 AND since <= $1 ORDER BY since LIMIT $2
        )
        UPDATE bdc_outbox.sends SET state = NULL FROM old WHERE sends.id = old.id AND NOT EXISTS (
            SELECT FROM bdc_outbox.records WHERE number = ANY(sends.numbers) AND records.state = 0
        )";
    session.query(sql, &values).await.map(drop)
}

/// Replaces tallies by their sums.
async fn fold(session: &Session<'_>) -> Result<(), OutboxError> {
    let sql = "
        WITH folded AS (DELETE FROM bdc_outbox.tallies RETURNING state, change)
        INSERT INTO bdc_outbox.tallies SELECT state, sum(change) FROM folded GROUP BY state HAVING sum(change) <> 0";
    session.query(sql, &[]).await.map(drop)
}
