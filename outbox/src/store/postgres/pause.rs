//! Pauses, of everything or of a business.

use std::time::SystemTime;

use super::session::{Session, get, storable, text, time};
use crate::{OutboxError, Pause, store::NewPause};

fn scope(uid: Option<&str>) -> String {
    // The key of a pause of everything is empty.
    uid.map_or_else(String::new, |uid| format!("u{uid}"))
}

/// Begins a pause, or makes one longer. One that a person has to end stays so.
pub(super) async fn pause(session: &Session<'_>, uid: Option<&str>, pause: &NewPause) -> Result<(), OutboxError> {
    let sql = "
        INSERT INTO bdc_outbox.pauses AS pauses (scope, until, reason, since) VALUES ($1, $2, $3, $4)
        ON CONFLICT (scope) DO UPDATE SET reason = excluded.reason,
            until = CASE WHEN excluded.until IS NOT NULL THEN greatest(pauses.until, excluded.until) END
        WHERE pauses.until IS NOT NULL";
    let until = pause.until.map(|until| session.at(until));
    let (scope, reason) = (scope(uid), storable(&pause.reason));
    let now = time(&session.now);
    session.query(sql, &[text(&scope), time(&until), text(&reason), now]).await.map(drop)
}

pub(super) async fn resume(session: &Session<'_>, uid: Option<&str>) -> Result<bool, OutboxError> {
    let sql = "DELETE FROM bdc_outbox.pauses WHERE scope = $1 RETURNING scope";
    Ok(!session.query(sql, &[text(&scope(uid))]).await?.is_empty())
}

pub(super) async fn pauses(session: &Session<'_>) -> Result<Vec<Pause>, OutboxError> {
    let sql = "SELECT scope, until, reason, since FROM bdc_outbox.pauses ORDER BY scope";
    let read = |row| {
        let scope: String = get(row, 0)?;
        let uid = scope.strip_prefix('u').map(str::to_owned);
        Ok(Pause { uid, until: get::<Option<SystemTime>>(row, 1)?, reason: get(row, 2)?, since: get(row, 3)? })
    };
    session.query(sql, &[]).await?.iter().map(read).collect()
}

/// Whether everything is paused.
pub(super) async fn is_paused(session: &Session<'_>) -> Result<bool, OutboxError> {
    let sql = "SELECT EXISTS (SELECT FROM bdc_outbox.pauses WHERE scope = '' AND (until IS NULL OR until > $1))";
    get(&session.query_one(sql, &[time(&session.now)]).await?, 0)
}

/// Removes pauses that are over, unless somebody is about to make them longer.
pub(super) async fn remove_ended(session: &Session<'_>) -> Result<(), OutboxError> {
    let sql = "
        WITH ended AS MATERIALIZED (
            SELECT scope FROM bdc_outbox.pauses WHERE until <= $1 FOR UPDATE SKIP LOCKED
        )
        DELETE FROM bdc_outbox.pauses USING ended WHERE pauses.scope = ended.scope";
    session.query(sql, &[time(&session.now)]).await.map(drop)
}
