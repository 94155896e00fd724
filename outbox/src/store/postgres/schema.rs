//! The tables, and how they get there.

use super::session::{Session, Time, client, get, long};
use crate::OutboxError;
use deadpool_postgres::Pool;

/// Creates the tables, and changes those of an earlier version: each of them runs once, in the order of their numbers.
pub(crate) const MIGRATIONS: &[&str] = &[include_str!("1.sql")];

/// The version of the tables that this library knows.
const VERSION: i32 = 1;

/// Held while the tables are changed, within the transaction: the first eight bytes of "bdc_outbox".
const LOCK: i64 = 0x6264_635f_6f75_7462;

/// Runs the migrations that are missing.
pub(crate) async fn migrate(pool: &Pool) -> Result<(), OutboxError> {
    let mut client = client(pool).await?;
    let session = Session::begin(&mut client, Time::Database, 0).await?;
    session.query("SELECT pg_advisory_xact_lock($1)", &[long(&LOCK)]).await?;
    let there = versions(&session).await?.map_or(0, |(version, _)| version);
    for sql in MIGRATIONS.iter().skip(usize::try_from(there).unwrap_or(0)) {
        session.run(sql).await?;
    }
    session.commit().await
}

/// Whether the tables can be used.
pub(super) async fn examine(pool: &Pool) -> Result<(), OutboxError> {
    let mut client = client(pool).await?;
    let session = Session::begin(&mut client, Time::Database, 0).await?;
    let problem = match versions(&session).await? {
        Some((version, _)) if version < VERSION => {
            format!("the tables of the outbox have version {version}, and this library needs {VERSION}: migrate them")
        }
        Some((version, oldest)) if oldest > VERSION => {
            format!(
                "the tables of the outbox have version {version}, which this library does not know: use a later one"
            )
        }
        Some(_) => return Ok(()),
        None => "the database has no tables of the outbox: run `Outbox::migrate_postgres`".to_owned(),
    };
    Err(OutboxError::store(problem))
}

/// The version of the tables, and that of the oldest library that can use them; `None` if there are none.
async fn versions(session: &Session<'_>) -> Result<Option<(i32, i32)>, OutboxError> {
    // Not `to_regclass`, which may not know yet what another session has committed while this one waited for the lock.
    let sql = "
        SELECT EXISTS (
            SELECT FROM pg_catalog.pg_tables WHERE schemaname = 'bdc_outbox' AND tablename = 'migrations'
        )";
    let there = session.query_one(sql, &[]).await?;
    if !get::<bool>(&there, 0)? {
        return Ok(None);
    }
    let row = session.query_one("SELECT max(version), max(oldest) FROM bdc_outbox.migrations", &[]).await?;
    Ok(get::<Option<i32>>(&row, 0)?.zip(get(&row, 1)?))
}
