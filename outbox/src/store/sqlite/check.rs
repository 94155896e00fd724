//! Begins pulls.

use rusqlite::{Connection, OptionalExtension, params};

use super::pause;
use crate::{
    record::operation,
    store::{Addresses, Check},
    time::Millis,
};

pub(super) fn begin(
    db: &Connection,
    now: Millis,
    again: Millis,
    addresses: &Addresses,
) -> rusqlite::Result<Option<Check>> {
    if pause::is_paused(db, now)? {
        return Ok(None);
    }
    let sql = "
        SELECT uid, operation FROM bdc_outbox_records WHERE check_at <= ?1 AND NOT EXISTS (
            SELECT 1 FROM bdc_outbox_pauses WHERE scope = 'u' || bdc_outbox_records.uid
        ) ORDER BY check_at LIMIT 1";
    let due = db
        .prepare_cached(sql)?
        .query_row([now], |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))
        .optional()?;
    let Some((uid, id)) = due else { return Ok(None) };
    let pull = operation(&id).and_then(|known| known.record?.pulled_by).and_then(operation);
    let business = Some(uid.as_str()).filter(|uid| !uid.is_empty());
    let address = pull.and_then(|pull| Some((pull, addresses(pull, business).ok()?)));
    // Without an address there is nothing to wait for.
    let (send, check_at) = match &address {
        Some((_, address)) => (Some(address.id.as_bytes()), Some(again)),
        None => (None, None),
    };
    let sql = "
        UPDATE bdc_outbox_records SET checking = ?1, check_at = ?2 WHERE check_at <= ?3 AND uid = ?4 AND operation = ?5";
    db.prepare_cached(sql)?.execute(params![send, check_at, now, uid, id])?;
    let Some((operation, address)) = address else { return Ok(None) };
    db.prepare_cached("INSERT INTO bdc_outbox_sends (id, uid, operation, begun, records) VALUES (?, ?, ?, ?, 0)")?
        .execute(params![address.id.as_bytes(), uid, operation.id, now])?;
    Ok(Some(Check { address, uid, operation }))
}
