//! Pauses, of everything or of a business.

use rusqlite::{Connection, params};

use crate::{
    Pause,
    store::NewPause,
    time::{Millis, system_time},
};

/// The key of a pause of everything. That of a business begins with `u`.
pub(super) const EVERYTHING: &str = "";

fn scope(uid: Option<&str>) -> String {
    uid.map_or_else(|| EVERYTHING.to_owned(), |uid| format!("u{uid}"))
}

/// Begins a pause, or makes one longer. One that a person has to end stays so.
pub(super) fn pause(db: &Connection, now: Millis, uid: Option<&str>, pause: &NewPause) -> rusqlite::Result<()> {
    let sql = "
        INSERT INTO bdc_outbox_pauses (scope, until, reason, since) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT (scope) DO UPDATE SET reason = excluded.reason, until = max(until, excluded.until)
        WHERE until IS NOT NULL";
    db.prepare_cached(sql)?.execute(params![scope(uid), pause.until, pause.reason, now])?;
    Ok(())
}

pub(super) fn resume(db: &Connection, uid: Option<&str>) -> rusqlite::Result<bool> {
    Ok(db.prepare_cached("DELETE FROM bdc_outbox_pauses WHERE scope = ?")?.execute([scope(uid)])? > 0)
}

pub(super) fn pauses(db: &Connection) -> rusqlite::Result<Vec<Pause>> {
    let sql = "SELECT scope, until, reason, since FROM bdc_outbox_pauses ORDER BY scope";
    let read = |row: &rusqlite::Row<'_>| {
        let scope: String = row.get(0)?;
        Ok(Pause {
            uid: scope.strip_prefix('u').map(str::to_owned),
            until: row.get::<_, Option<Millis>>(1)?.map(system_time),
            reason: row.get(2)?,
            since: system_time(row.get(3)?),
        })
    };
    db.prepare_cached(sql)?.query_map([], read)?.collect()
}

/// Whether everything is paused. A pause that is over is removed.
pub(super) fn is_paused(db: &Connection, now: Millis) -> rusqlite::Result<bool> {
    db.prepare_cached("DELETE FROM bdc_outbox_pauses WHERE until <= ?")?.execute([now])?;
    db.prepare_cached("SELECT EXISTS (SELECT 1 FROM bdc_outbox_pauses WHERE scope = ?)")?
        .query_row([EVERYTHING], |row| row.get(0))
}
