//! What several statements share: the rows that they move from state to state.

use rusqlite::{Connection, Params, Row, params};

use crate::{Event, State, record::operation, time::Millis};

/// A row that may be moved.
pub(super) struct Found {
    pub(super) number: i64,
    pub(super) uid: String,
    pub(super) operation: String,
    pub(super) record_id: Option<String>,
    pub(super) state: State,
    pub(super) attempts: u32,
    pub(super) absent: u32,
    pub(super) checking: Option<Vec<u8>>,
}

/// The rows that meet a condition.
pub(super) fn select(db: &Connection, condition: &str, params: impl Params) -> rusqlite::Result<Vec<Found>> {
    let sql = format!(
        "SELECT number, uid, operation, record_id, state, attempts, absent, checking FROM bdc_outbox_records WHERE \
         {condition}"
    );
    db.prepare_cached(&sql)?.query_map(params, found)?.collect()
}

fn found(row: &Row<'_>) -> rusqlite::Result<Found> {
    Ok(Found {
        number: row.get(0)?,
        uid: row.get(1)?,
        operation: row.get(2)?,
        record_id: row.get(3)?,
        state: state(row, 4)?,
        attempts: row.get(5)?,
        absent: row.get(6)?,
        checking: row.get(7)?,
    })
}

/// The state in a column.
pub(super) fn state(row: &Row<'_>, column: usize) -> rusqlite::Result<State> {
    let code: i64 = row.get(column)?;
    State::from_code(code).ok_or(rusqlite::Error::IntegralValueOutOfRange(column, code))
}

/// Where a row goes.
#[derive(Default)]
pub(super) struct Move<'a> {
    pub(super) reason: Option<&'a str>,
    /// Applies only to records that a pull returns.
    pub(super) check_at: Option<Millis>,
    pub(super) alone: bool,
}

/// Moves a row, and returns the event. One that is queued forgets its batch, and has a lane.
pub(super) fn transition(
    db: &Connection,
    now: Millis,
    row: Found,
    to: State,
    Move { reason, check_at, alone }: Move<'_>,
) -> rusqlite::Result<Event> {
    let check_at = check_at.filter(|_| is_pulled(&row.operation));
    let sql = "
        UPDATE bdc_outbox_records SET state = ?2, reason = ?3, since = ?4, check_at = ?5, checking = NULL,
            alone = alone OR ?6, send = CASE WHEN ?2 = 0 THEN NULL ELSE send END
        WHERE number = ?1";
    db.prepare_cached(sql)?.execute(params![row.number, to.code(), reason, now, check_at, alone])?;
    if to == State::Queued {
        db.prepare_cached("INSERT OR IGNORE INTO bdc_outbox_lanes (uid) VALUES (?)")?.execute([&row.uid])?;
    }
    Ok(Event {
        number: row.number,
        uid: Some(row.uid).filter(|uid| !uid.is_empty()),
        operation: row.operation,
        record_id: row.record_id,
        from: row.state,
        to,
    })
}

/// Lets a lane go on that waited: the service has answered, or a person has decided.
pub(super) fn release(db: &Connection, uid: &str) -> rusqlite::Result<()> {
    db.prepare_cached("UPDATE bdc_outbox_lanes SET not_before = 0 WHERE uid = ?")?.execute([uid])?;
    Ok(())
}

/// Whether what became of a record can be found by a pull.
pub(super) fn is_pulled(id: &str) -> bool {
    operation(id).and_then(|operation| operation.record).is_some_and(|record| record.pulled_by.is_some())
}
