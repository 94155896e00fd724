//! Begins pulls.

use super::{
    pause,
    session::{Session, bytes, get, long, text, time},
};
use crate::{
    OutboxError,
    record::operation,
    store::{Addresses, Check},
    time::Millis,
};

/// Held by whoever begins a pull, so that a business is not pulled by two workers.
const LOCK: i64 = 0x6264_635f_6368_6563;

pub(super) async fn begin(
    session: &Session<'_>,
    again: Millis,
    addresses: &Addresses,
) -> Result<Option<Check>, OutboxError> {
    let alone = session.query_one("SELECT pg_try_advisory_xact_lock($1)", &[long(&LOCK)]).await?;
    if !get::<bool>(&alone, 0)? || pause::is_paused(session).await? {
        return Ok(None);
    }
    let sql = "
        SELECT uid, operation FROM bdc_outbox.records WHERE check_at <= $1 AND NOT EXISTS (
            SELECT FROM bdc_outbox.pauses WHERE scope = 'u' || records.uid AND (until IS NULL OR until > $1)
        ) ORDER BY check_at LIMIT 1";
    let Some(due) = session.query_opt(sql, &[time(&session.now)]).await? else { return Ok(None) };
    let (uid, id): (String, String) = (get(&due, 0)?, get(&due, 1)?);
    let pull = operation(&id).and_then(|known| known.record?.pulled_by).and_then(operation);
    let business = Some(uid.as_str()).filter(|uid| !uid.is_empty());
    let address = pull.and_then(|pull| Some((pull, addresses(pull, business).ok()?)));
    // Without an address there is nothing to wait for.
    let (send, check_at) = match &address {
        Some((_, address)) => (Some(address.id.as_bytes().to_vec()), Some(session.at(again))),
        None => (None, None),
    };
    // What is locked moves just now.
    let sql = "
        WITH due AS MATERIALIZED (
            SELECT number FROM bdc_outbox.records WHERE check_at <= $3 AND uid = $4 AND operation = $5
            FOR UPDATE SKIP LOCKED
        )
        UPDATE bdc_outbox.records SET checking = $1, check_at = $2 FROM due WHERE records.number = due.number
        RETURNING records.number";
    let values = [bytes(&send), time(&check_at), time(&session.now), text(&uid), text(&id)];
    let asked = session.query(sql, &values).await?;
    let Some((operation, address)) = address.filter(|_| !asked.is_empty()) else { return Ok(None) };
    let sql = "INSERT INTO bdc_outbox.sends (id, uid, operation, begun, since, records) VALUES ($1, $2, $3, $4, $4, 0)";
    let values = [bytes(&send), text(&uid), text(&operation.id), time(&session.now)];
    session.query(sql, &values).await?;
    Ok(Some(Check { address, uid, operation }))
}
