//! Decisions of people.

use rusqlite::{Connection, params};

use super::{
    batches::forget,
    column::state,
    rows::{Move, Which, release, row, transition},
};
use crate::{
    Decision, Event, OutboxError,
    entry::DecisionKind,
    time::{Millis, system_time},
};

pub(super) fn decide(
    db: &Connection,
    now: Millis,
    number: i64,
    kind: DecisionKind,
    by: &str,
    why: &str,
) -> rusqlite::Result<Result<Event, OutboxError>> {
    let Some(row) = row(db, number)? else {
        return Ok(Err(OutboxError::NotFound { what: format!("request {number}") }));
    };
    if !kind.from().contains(&row.state) {
        return Ok(Err(OutboxError::NotPossible { decision: kind.as_str(), state: row.state }));
    }
    db.prepare_cached("INSERT INTO bdc_outbox_decisions VALUES (?, ?, ?, ?, ?, ?)")?.execute(params![
        number,
        kind.as_str(),
        by,
        why,
        now,
        row.state.code()
    ])?;
    let resend = kind == DecisionKind::Resend;
    if resend {
        let sql = "UPDATE bdc_outbox_records SET resent = resent + 1, absent = 0 WHERE number = ?";
        db.prepare_cached(sql)?.execute([number])?;
    }
    let reason = format!("{by}: {why}");
    // One that was refused with others, or is invalid, is not to stop others again.
    let moved = Move { reason: Some(&reason), alone: resend, check_at: None };
    let event = transition(db, now, Which::Number(number), (row.state, kind.to()), moved)?.pop();
    release(db, &row.uid)?;
    let sql = "SELECT send FROM bdc_outbox_records WHERE number = ?";
    if let Some(send) = db.prepare_cached(sql)?.query_row([number], |row| row.get::<_, Option<Vec<u8>>>(0))? {
        forget(db, &send)?;
    }
    Ok(event.ok_or_else(|| OutboxError::NotFound { what: format!("request {number}") }))
}

pub(super) fn decisions(db: &Connection, number: i64) -> rusqlite::Result<Vec<Decision>> {
    let sql = "
        SELECT kind, decided_by, why, at, from_state FROM bdc_outbox_decisions WHERE number = ? ORDER BY rowid";
    let read = |row: &rusqlite::Row<'_>| {
        let kind: String = row.get(0)?;
        Ok(Decision {
            number,
            kind: match kind.as_str() {
                "resend" => DecisionKind::Resend,
                "accept" => DecisionKind::Accept,
                _ => DecisionKind::Drop,
            },
            by: row.get(1)?,
            why: row.get(2)?,
            at: system_time(row.get(3)?),
            from: state(row, 4)?,
        })
    };
    db.prepare_cached(sql)?.query_map([number], read)?.collect()
}
