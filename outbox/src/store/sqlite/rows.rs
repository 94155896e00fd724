//! What several statements share: the rows that they move from state to state.

use std::sync::LazyLock;

use business_data_connector::OPERATIONS;
use rusqlite::{Connection, OptionalExtension, Params, Row, named_params, types::Value};

use super::{batches, column::state};
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

/// The rows that meet a condition, of those that have a state of their own.
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
    let mut events = Vec::new();
    match which {
        Which::Number(number) => batches::leave(db, number)?,
        Which::Send(id) | Which::Attempts(id, _) => {
            events = batches::transition(db, now, id, (from, to), reason)?;
        }
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
        ":least": least, ":from": from.code(),
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
    for event in db.prepare_cached(&sql)?.query_map(params, event)? {
        events.push(event?);
    }
    count(db, from, to, events.len())?;
    if to == State::Queued
        && let Some(first) = events.first()
    {
        let uid = first.uid.as_deref().unwrap_or_default();
        db.prepare_cached("INSERT OR IGNORE INTO bdc_outbox_lanes (uid) VALUES (?)")?.execute([uid])?;
    }
    Ok(events)
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
