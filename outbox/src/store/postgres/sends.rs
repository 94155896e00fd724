//! Batches, and what moves with a whole one: a single row, which the requests that follow it share.

use super::{
    rows::{code, state},
    session::{Session, bytes, bytes_list, get, small, smalls, storable, text, time},
};
use crate::{Event, OutboxError, State};

/// A batch, or a pull.
pub(super) struct Send {
    pub(super) uid: String,
    pub(super) operation: String,
    pub(super) records: usize,
}

/// Locks a batch, after the lane of its business. Statements that come after this one see what follows it.
pub(super) async fn lock_send(session: &Session<'_>, id: &[u8]) -> Result<Option<Send>, OutboxError> {
    let sql = "SELECT uid, operation, records FROM bdc_outbox.sends WHERE id = $1 FOR UPDATE";
    let Some(row) = session.query_opt(sql, &[bytes(&id)]).await? else { return Ok(None) };
    let records = usize::try_from(get::<i32>(&row, 2)?).unwrap_or_default();
    Ok(Some(Send { uid: get(&row, 0)?, operation: get(&row, 1)?, records }))
}

/// Moves batches that are locked and in one of some states, with all that follows them. Each event comes with its
/// batch.
pub(super) async fn move_sends(
    session: &Session<'_>,
    ids: &[&[u8]],
    from: &[State],
    to: State,
    reason: Option<&str>,
) -> Result<Vec<(Vec<u8>, Event)>, OutboxError> {
    let sql = "
        WITH batch AS MATERIALIZED (
            SELECT id, state, numbers FROM bdc_outbox.sends WHERE id = ANY($1) AND state = ANY($2)
        ), moved AS (
            UPDATE bdc_outbox.sends SET state = $3, since = $4, reason = $5 FROM batch WHERE sends.id = batch.id
        ), followers AS MATERIALIZED (
            SELECT batch.id, number, uid, operation, record_id, batch.state
            FROM batch JOIN bdc_outbox.records ON number = ANY(batch.numbers) AND records.state = 0
        ), counted AS (
            INSERT INTO bdc_outbox.tallies
            SELECT state, -count(*) FROM followers GROUP BY state
            UNION ALL SELECT $3, count(*) FROM followers HAVING count(*) > 0
        )
        SELECT number, uid, operation, record_id, state, id FROM followers ORDER BY number";
    let from: Vec<i16> = from.iter().copied().map(code).collect();
    let (code, reason) = (code(to), reason.map(storable));
    let values = [bytes_list(&ids), smalls(&from), small(&code), time(&session.now), text(&reason)];
    let event = |row| {
        let event = Event {
            number: get(row, 0)?,
            uid: Some(get::<String>(row, 1)?).filter(|uid| !uid.is_empty()),
            operation: get(row, 2)?,
            record_id: get(row, 3)?,
            from: state(row, 4)?,
            to,
        };
        Ok((get(row, 5)?, event))
    };
    session.query(sql, &values).await?.iter().map(event).collect()
}

/// Stores of a batch that is locked that no request follows it any more, if that is so.
pub(super) async fn left(session: &Session<'_>, id: &[u8]) -> Result<(), OutboxError> {
    let sql = "
        UPDATE bdc_outbox.sends SET state = NULL WHERE id = $1 AND state IS NOT NULL AND NOT EXISTS (
            SELECT FROM bdc_outbox.records WHERE number = ANY(sends.numbers) AND records.state = 0
        )";
    session.query(sql, &[bytes(&id)]).await.map(drop)
}
