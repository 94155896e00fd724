//! What several statements share: the rows that they move from state to state.

use std::time::SystemTime;

use business_data_connector::OPERATIONS;
use tokio_postgres::Row;

use super::session::{Session, Value, bytes, flag, get, int, long, longs, small, smalls, storable, text, texts, time};
use crate::{Event, OutboxError, State, store::batch::is_pulled};

/// A row that is locked, and may be moved.
pub(super) struct Found {
    pub(super) number: i64,
    pub(super) uid: String,
    pub(super) operation: String,
    pub(super) record_id: Option<String>,
    pub(super) state: State,
    pub(super) attempts: i32,
    pub(super) absent: i32,
    pub(super) checking: Option<Vec<u8>>,
}

impl Found {
    /// Whether it has the state of its batch.
    fn follows(&self) -> bool {
        matches!(self.state, State::Sending | State::Taken)
    }
}

/// What to do about rows that somebody else has locked.
#[derive(Clone, Copy)]
pub(super) enum Locked {
    Wait,
    Skip,
}

/// Locks the rows of a batch that is locked: those that follow it, and those in other states.
pub(super) async fn lock_of(
    session: &Session<'_>,
    send: &[u8],
    others: &[State],
    locked: Locked,
) -> Result<Vec<Found>, OutboxError> {
    let sql = "
        SELECT number, records.uid, records.operation, record_id,
            CASE records.state WHEN 0 THEN sends.state ELSE records.state END,
            CASE records.state WHEN 0 THEN attempts + 1 ELSE attempts END, absent, checking
        FROM bdc_outbox.sends JOIN bdc_outbox.records ON number = ANY(numbers)
        WHERE sends.id = $1 AND (records.state = 0 OR records.state = ANY($2))";
    let others: Vec<i16> = others.iter().copied().map(code).collect();
    lock(session, sql, locked, &[bytes(&send), smalls(&others)]).await
}

/// Locks the row with a number, after its batch.
pub(super) async fn lock_one(session: &Session<'_>, number: i64, locked: Locked) -> Result<Option<Found>, OutboxError> {
    let sql = "
        SELECT records.number, records.uid, records.operation, record_id, coalesce(batch.state, records.state),
            CASE WHEN batch.id IS NULL THEN attempts ELSE attempts + 1 END, absent, checking
        FROM bdc_outbox.records
        LEFT JOIN bdc_outbox.queue ON records.state = 0 AND queue.uid = records.uid AND queue.number = records.number
        LEFT JOIN LATERAL bdc_outbox.batch_of(records.uid, records.number) AS batch
            ON records.state = 0 AND queue.number IS NULL
        WHERE records.number = $1";
    Ok(lock(session, sql, locked, &[long(&number)]).await?.pop())
}

/// Locks the rows that a query returns, in the order of their numbers, so that two transactions never wait for each
/// other. Whoever locks a lane or a batch as well does so before.
pub(super) async fn lock(
    session: &Session<'_>,
    query: &str,
    locked: Locked,
    values: &[Value<'_>],
) -> Result<Vec<Found>, OutboxError> {
    let otherwise = match locked {
        Locked::Wait => "",
        Locked::Skip => "SKIP LOCKED",
    };
    let sql = format!("{query} ORDER BY number FOR UPDATE OF records {otherwise}");
    session.query(&sql, values).await?.iter().map(found).collect()
}

fn found(row: &Row) -> Result<Found, OutboxError> {
    Ok(Found {
        number: get(row, 0)?,
        uid: get(row, 1)?,
        operation: get(row, 2)?,
        record_id: get(row, 3)?,
        state: state(row, 4)?,
        attempts: get(row, 5)?,
        absent: get(row, 6)?,
        checking: get(row, 7)?,
    })
}

/// The state in a column.
pub(super) fn state(row: &Row, column: usize) -> Result<State, OutboxError> {
    let code: i16 = get(row, column)?;
    State::from_code(code.into()).ok_or_else(|| OutboxError::store(format!("the database has the state {code}")))
}

/// The number by which the database knows a state.
pub(super) fn code(state: State) -> i16 {
    i16::try_from(state.code()).unwrap_or_default()
}

/// Where rows go.
#[derive(Default, Clone, Copy)]
pub(super) struct Move<'a> {
    pub(super) reason: Option<&'a str>,
    /// Applies only to records that a pull returns.
    pub(super) check_at: Option<SystemTime>,
    pub(super) alone: bool,
    pub(super) resent: bool,
}

/// Moves rows of one business that are locked, and returns the events. From then on, they have a state of their own.
pub(super) async fn transition(
    session: &Session<'_>,
    rows: Vec<Found>,
    to: State,
    Move { reason, check_at, alone, resent }: Move<'_>,
) -> Result<Vec<Event>, OutboxError> {
    let Some(first) = rows.first() else { return Ok(Vec::new()) };
    let sql = "
        WITH counted AS (
            INSERT INTO bdc_outbox.tallies SELECT state, sum(change) FROM (
                SELECT unnest($9) AS state, -1 AS change UNION ALL SELECT $2, cardinality($9)
            ) AS changes GROUP BY state HAVING sum(change) <> 0
        )
        UPDATE bdc_outbox.records SET state = $2, reason = $3, since = $4,
            check_at = CASE WHEN operation = ANY($6) THEN $5 END, checking = NULL, alone = alone OR $7,
            attempts = attempts + (number = ANY($10))::integer,
            resent = resent + $8::integer, absent = CASE WHEN $8 = 1 THEN 0 ELSE absent END
        WHERE number = ANY($1)";
    let numbers: Vec<i64> = rows.iter().map(|row| row.number).collect();
    let from: Vec<i16> = rows.iter().map(|row| code(row.state)).collect();
    let followed: Vec<i64> = rows.iter().filter(|row| row.follows()).map(|row| row.number).collect();
    let pulled: Vec<&str> = OPERATIONS.iter().map(|operation| operation.id).filter(|id| is_pulled(id)).collect();
    let (code, reason, resent) = (code(to), reason.map(storable), i32::from(resent));
    let values = [
        longs(&numbers),
        small(&code),
        text(&reason),
        time(&session.now),
        time(&check_at),
        texts(&pulled),
        flag(&alone),
        int(&resent),
        smalls(&from),
        longs(&followed),
    ];
    session.query(sql, &values).await?;
    if rows.iter().any(|row| row.state == State::Queued) {
        let sql = "DELETE FROM bdc_outbox.queue WHERE uid = $1 AND number = ANY($2)";
        session.query(sql, &[text(&first.uid), longs(&numbers)]).await?;
    }
    if to == State::Queued {
        queue(session, &first.uid, &numbers).await?;
    }
    Ok(rows.into_iter().map(|row| event(row, to)).collect())
}

/// Adds rows to the queue, and takes them from their batches.
async fn queue(session: &Session<'_>, uid: &str, numbers: &[i64]) -> Result<(), OutboxError> {
    let sql = "
        WITH queued AS (
            INSERT INTO bdc_outbox.queue SELECT uid, number, since FROM bdc_outbox.records WHERE number = ANY($2)
        ), batches AS MATERIALIZED (
            SELECT DISTINCT batch.id FROM unnest($2) AS number, LATERAL bdc_outbox.batch_of($1, number) AS batch
        )
        UPDATE bdc_outbox.sends SET numbers = ARRAY(
            SELECT number FROM unnest(numbers) AS number WHERE number <> ALL($2) ORDER BY number
        ) FROM batches WHERE sends.id = batches.id";
    session.query(sql, &[text(&uid), longs(&numbers)]).await.map(drop)
}

pub(super) fn event(row: Found, to: State) -> Event {
    Event {
        number: row.number,
        uid: Some(row.uid).filter(|uid| !uid.is_empty()),
        operation: row.operation,
        record_id: row.record_id,
        from: row.state,
        to,
    }
}

/// Locks the lane of a business, if it has one.
pub(super) async fn lock_lane(session: &Session<'_>, uid: &str) -> Result<(), OutboxError> {
    let sql = "SELECT FROM bdc_outbox.lanes WHERE uid = $1 FOR UPDATE";
    session.query(sql, &[text(&uid)]).await.map(drop)
}

/// Lets a lane go on that waited: the service has answered, or a person has decided.
pub(super) async fn release(session: &Session<'_>, uid: &str) -> Result<(), OutboxError> {
    let sql = "UPDATE bdc_outbox.lanes SET not_before = 'epoch' WHERE uid = $1 AND not_before > 'epoch'";
    session.query(sql, &[text(&uid)]).await.map(drop)
}
