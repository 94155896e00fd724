//! What several statements share: the rows that they move from state to state.

use std::sync::LazyLock;

use business_data_connector::OPERATIONS;
use rusqlite::{Connection, OptionalExtension, Params, Row, named_params, params, types::Value};

use crate::{Event, State, store::batch::is_pulled, time::Millis};

/// A row that may be moved.
pub(super) struct Found {
    pub(super) number: i64,
    pub(super) uid: String,
    pub(super) operation: String,
    pub(super) record_id: Option<String>,
    pub(super) state: State,
    pub(super) absent: u32,
    pub(super) checking: Option<Vec<u8>>,
}

/// The row with a number.
pub(super) fn row(db: &Connection, number: i64) -> rusqlite::Result<Option<Found>> {
    let sql = "
        SELECT number, uid, operation, record_id, state, absent, checking FROM bdc_outbox WHERE number = ?";
    db.prepare_cached(sql)?.query_row([number], found).optional()
}

/// The rows that meet a condition, in which those that are taken are still sending.
pub(super) fn select(db: &Connection, condition: &str, params: impl Params) -> rusqlite::Result<Vec<Found>> {
    let sql = format!(
        "SELECT number, uid, operation, record_id, state, absent, checking FROM bdc_outbox_records WHERE {condition}"
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
        absent: row.get(5)?,
        checking: row.get(6)?,
    })
}

/// The state in a column.
pub(super) fn state(row: &Row<'_>, column: usize) -> rusqlite::Result<State> {
    let code: i64 = row.get(column)?;
    State::from_code(code).ok_or(rusqlite::Error::IntegralValueOutOfRange(column, code))
}

/// Which rows go.
#[derive(Clone, Copy)]
pub(super) enum Which {
    Number(i64),
    /// Those of a batch.
    Send([u8; 16]),
    /// Those of a batch that were sent at least so often.
    Attempts([u8; 16], u32),
}

/// Where rows go.
#[derive(Default, Clone, Copy)]
pub(super) struct Move<'a> {
    pub(super) reason: Option<&'a str>,
    /// Applies only to records that a pull returns.
    pub(super) check_at: Option<Millis>,
    pub(super) alone: bool,
}

/// The operations whose records a pull returns, as a list in SQL. They have names of letters and underscores.
static PULLED: LazyLock<String> = LazyLock::new(|| {
    let pulled = OPERATIONS.iter().map(|operation| operation.id).filter(|id| is_pulled(id));
    pulled.map(|id| format!("'{id}'")).collect::<Vec<_>>().join(", ")
});

/// Moves the rows that are in a state, all at once, and returns the events. Those that are queued forget their batch,
/// and have a lane.
pub(super) fn transition(
    db: &Connection,
    now: Millis,
    which: Which,
    (from, to): (State, State),
    Move { reason, check_at, alone }: Move<'_>,
) -> rusqlite::Result<Vec<Event>> {
    if !are_in(db, which, from)? {
        return Ok(Vec::new());
    }
    let (condition, key, least): (_, Value, _) = match which {
        Which::Number(number) => ("number = :key AND :least = 0", number.into(), 0),
        Which::Send(id) => ("send = :key AND :least = 0", id.to_vec().into(), 0),
        Which::Attempts(id, least) => ("send = :key AND attempts >= :least", id.to_vec().into(), least),
    };
    let send = if to == State::Queued { "send = NULL, " } else { "" };
    let dropped = if to == State::Dropped { "dropped = number, " } else { "" };
    // `+` keeps SQLite from going through every row in the state.
    let sql = format!(
        "UPDATE bdc_outbox_records SET {send}{dropped}state = :to, reason = :reason, since = :now, checking = NULL,
            check_at = CASE WHEN operation IN ({}) THEN :check_at END, alone = alone OR :alone
         WHERE {condition} AND +state = :from RETURNING number, uid, operation, record_id",
        *PULLED
    );
    let params = named_params! {
        ":to": to.code(), ":reason": reason, ":now": now, ":check_at": check_at, ":alone": alone, ":key": key,
        ":least": least, ":from": stored(from).code(),
    };
    let event = |row: &Row<'_>| {
        Ok(Event {
            number: row.get(0)?,
            uid: Some(row.get::<_, String>(1)?).filter(|uid| !uid.is_empty()),
            operation: row.get(2)?,
            record_id: row.get(3)?,
            from,
            to,
        })
    };
    let events: Vec<Event> = db.prepare_cached(&sql)?.query_map(params, event)?.collect::<rusqlite::Result<_>>()?;
    count(db, from, to, events.len())?;
    if to == State::Queued
        && let Some(first) = events.first()
    {
        let uid = first.uid.as_deref().unwrap_or_default();
        db.prepare_cached("INSERT OR IGNORE INTO bdc_outbox_lanes (uid) VALUES (?)")?.execute([uid])?;
    }
    Ok(events)
}

/// The state of the rows of a batch that is taken.
fn stored(state: State) -> State {
    if state == State::Taken { State::Sending } else { state }
}

/// Whether rows can be in a state: those that are sending or taken are what their batch is.
fn are_in(db: &Connection, which: Which, state: State) -> rusqlite::Result<bool> {
    if stored(state) != State::Sending {
        return Ok(true);
    }
    let taken = match which {
        Which::Number(number) => return Ok(row(db, number)?.is_some_and(|row| row.state == state)),
        Which::Send(id) | Which::Attempts(id, _) => db
            .prepare_cached("SELECT taken IS NOT NULL FROM bdc_outbox_sends WHERE id = ?")?
            .query_row([id], |row| row.get(0))
            .optional()?,
    };
    Ok(taken == Some(state == State::Taken))
}

/// Stores that a batch is taken, with what of it a callback has not moved.
pub(super) fn take(db: &Connection, now: Millis, id: [u8; 16], reason: Option<&str>) -> rusqlite::Result<Vec<Event>> {
    if !are_in(db, Which::Send(id), State::Sending)? {
        return Ok(Vec::new());
    }
    let events: Vec<_> = select(db, "send = ? AND +state = 1", [id])?
        .into_iter()
        .map(|row| Event {
            number: row.number,
            uid: Some(row.uid).filter(|uid| !uid.is_empty()),
            operation: row.operation,
            record_id: row.record_id,
            from: State::Sending,
            to: State::Taken,
        })
        .collect();
    if !events.is_empty() {
        let sql = "UPDATE bdc_outbox_sends SET taken = ? WHERE id = ?";
        db.prepare_cached(sql)?.execute(params![now, id])?;
        count(db, State::Sending, State::Taken, events.len())?;
        if reason.is_some() {
            let sql = "UPDATE bdc_outbox_records SET reason = ? WHERE send = ? AND +state = 1";
            db.prepare_cached(sql)?.execute(params![reason, id])?;
        }
    }
    Ok(events)
}

/// Forgets that a batch is taken, once nothing of it is.
pub(super) fn left(db: &Connection, id: &[u8]) -> rusqlite::Result<()> {
    let sql = "
        UPDATE bdc_outbox_sends SET taken = NULL WHERE id = ?1 AND taken IS NOT NULL AND NOT EXISTS (
            SELECT 1 FROM bdc_outbox_records WHERE send = ?1 AND +state = 1
        )";
    db.prepare_cached(sql)?.execute([id])?;
    Ok(())
}

/// Counts rows that have moved. Those that are added or removed are counted by triggers.
pub(super) fn count(db: &Connection, from: State, to: State, rows: usize) -> rusqlite::Result<()> {
    if rows > 0 && from != to {
        let rows = i64::try_from(rows).unwrap_or(i64::MAX);
        let mut update = db.prepare_cached("UPDATE bdc_outbox_counts SET count = count + ? WHERE state = ?")?;
        update.execute([-rows, from.code()])?;
        update.execute([rows, to.code()])?;
    }
    Ok(())
}

/// Lets a lane go on that waited: the service has answered, or a person has decided.
pub(super) fn release(db: &Connection, uid: &str) -> rusqlite::Result<()> {
    db.prepare_cached("UPDATE bdc_outbox_lanes SET not_before = 0 WHERE uid = ?")?.execute([uid])?;
    Ok(())
}
