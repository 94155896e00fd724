//! Decisions of people.

use super::{
    rows::{Locked, Move, code, lock_lane, lock_one, release, state, transition},
    sends::left,
    session::{Session, get, long, small, storable, text, time},
};
use crate::{Decision, Event, OutboxError, entry::DecisionKind};

pub(super) async fn decide(
    session: &Session<'_>,
    number: i64,
    kind: DecisionKind,
    by: &str,
    why: &str,
) -> Result<Event, OutboxError> {
    let not_found = || OutboxError::NotFound { what: format!("request {number}") };
    let number_ = || long(&number);
    let uid = session.query_opt("SELECT uid FROM bdc_outbox.records WHERE number = $1", &[number_()]).await?;
    let uid: String = get(&uid.ok_or_else(not_found)?, 0)?;
    lock_lane(session, &uid).await?;
    // Whoever sends it meanwhile finds that it is gone.
    let sql = "SELECT FROM bdc_outbox.queue WHERE uid = $1 AND number = $2 FOR UPDATE";
    session.query(sql, &[text(&uid), number_()]).await?;
    let sql = "
        SELECT id FROM bdc_outbox.sends WHERE id = (SELECT id FROM bdc_outbox.batch_of($1, $2)) FOR UPDATE";
    let send = session.query_opt(sql, &[text(&uid), number_()]).await?;
    let row = lock_one(session, number, Locked::Wait).await?.ok_or_else(not_found)?;
    let from = row.state;
    if !kind.from().contains(&from) {
        return Err(OutboxError::NotPossible { decision: kind.as_str(), state: from });
    }
    let sql = "
        INSERT INTO bdc_outbox.decisions (number, kind, decided_by, why, at, from_state)
        VALUES ($1, $2, $3, $4, $5, $6)";
    let (name, by, why, from) = (kind.as_str(), storable(by), storable(why), code(from));
    let values = [number_(), text(&name), text(&by), text(&why), time(&session.now), small(&from)];
    session.query(sql, &values).await?;
    let resent = kind == DecisionKind::Resend;
    let reason = format!("{by}: {why}");
    // One that was refused with others, or is invalid, is not to stop others again.
    let told = Move { reason: Some(&reason), alone: resent, resent, check_at: None };
    let event = transition(session, vec![row], kind.to(), told).await?.pop();
    if let Some(send) = send {
        left(session, &get::<Vec<u8>>(&send, 0)?).await?;
    }
    release(session, &uid).await?;
    event.ok_or_else(not_found)
}

pub(super) async fn decisions(session: &Session<'_>, number: i64) -> Result<Vec<Decision>, OutboxError> {
    let sql = "
        SELECT kind, decided_by, why, at, from_state FROM bdc_outbox.decisions WHERE number = $1 ORDER BY id";
    let read = |row| {
        let kind: String = get(row, 0)?;
        Ok(Decision {
            number,
            kind: match kind.as_str() {
                "resend" => DecisionKind::Resend,
                "accept" => DecisionKind::Accept,
                _ => DecisionKind::Drop,
            },
            by: get(row, 1)?,
            why: get(row, 2)?,
            at: get(row, 3)?,
            from: state(row, 4)?,
        })
    };
    session.query(sql, &[long(&number)]).await?.iter().map(read).collect()
}
