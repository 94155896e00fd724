//! What several statements share: the rows that they move from state to state.

use std::time::SystemTime;

use business_data_connector::OPERATIONS;
use tokio_postgres::Row;

use super::session::{Session, Value, flag, get, int, longs, small, storable, text, texts, time};
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

/// Locks the rows that meet a condition, in the order of their numbers, so that two transactions never wait for each
/// other. Whoever locks a lane as well does so before.
pub(super) async fn lock(
    session: &Session<'_>,
    condition: &str,
    values: &[Value<'_>],
) -> Result<Vec<Found>, OutboxError> {
    let sql = format!(
        "SELECT number, uid, operation, record_id, state, attempts, absent, checking FROM bdc_outbox.records WHERE \
         {condition}"
    );
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
#[derive(Default)]
pub(super) struct Move<'a> {
    pub(super) reason: Option<&'a str>,
    /// Applies only to records that a pull returns.
    pub(super) check_at: Option<SystemTime>,
    pub(super) alone: bool,
    pub(super) resent: bool,
}

/// Moves rows that are locked, and returns the events. One that is queued forgets its batch.
pub(super) async fn transition(
    session: &Session<'_>,
    rows: Vec<Found>,
    to: State,
    Move { reason, check_at, alone, resent }: Move<'_>,
) -> Result<Vec<Event>, OutboxError> {
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let sql = "
        UPDATE bdc_outbox.records SET state = $2, reason = $3, since = $4,
            check_at = CASE WHEN operation = ANY($6) THEN $5 END, checking = NULL, alone = alone OR $7,
            send = CASE WHEN $2 = 0 THEN NULL ELSE send END,
            resent = resent + $8::integer, absent = CASE WHEN $8 = 1 THEN 0 ELSE absent END
        WHERE number = ANY($1)";
    let numbers: Vec<i64> = rows.iter().map(|row| row.number).collect();
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
    ];
    session.query(sql, &values).await?;
    Ok(rows.into_iter().map(|row| event(row, to)).collect())
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
