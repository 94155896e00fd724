//! Opens a file.

use std::{path::Path, time::Duration};

use rusqlite::{Connection, config::DbConfig};

use super::{SqliteStore, schema, thread::Database};
use crate::OutboxError;

/// The first version of SQLite without the WAL-reset bug, by which commits can be lost where two connections write:
/// <https://sqlite.org/wal.html#walresetbug>.
const FIXED: i32 = 3_051_003;

impl SqliteStore {
    /// Opens a file, which is created if it does not exist, as are the tables.
    pub(crate) fn open(file: &Path, durable: bool) -> Result<Self, OutboxError> {
        let problem = || OutboxError::store(format!("the outbox {} cannot be opened", file.display()));
        let connection = Connection::open(file).map_err(|error| problem().with_source(error))?;
        let version = configure(&connection, durable).map_err(|error| problem().with_source(error))?;
        match version {
            Some(schema::VERSION) => {}
            Some(version) => {
                let other = format!(
                    "its tables have version {version}, and this library knows version {}; use the library that wrote it",
                    schema::VERSION
                );
                return Err(problem().with_source(other));
            }
            None => schema::create(&connection).map_err(|error| problem().with_source(error))?,
        }
        let database = Database::start(connection, durable).map_err(|error| problem().with_source(error))?;
        Ok(Self { database })
    }
}

/// Returns the version of the tables.
fn configure(connection: &Connection, durable: bool) -> rusqlite::Result<Option<i64>> {
    connection.busy_timeout(Duration::from_secs(5))?;
    connection.set_prepared_statement_cache_capacity(64);
    // Otherwise a statement is compiled again whenever its values change.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    let version = schema::version(connection)?;
    let mode = if rusqlite::version_number() >= FIXED {
        "WAL"
    } else {
        tracing::warn!(sqlite = rusqlite::version(), "SQLite has the WAL-reset bug, so WAL is not used");
        "TRUNCATE"
    };
    connection.query_row(&format!("PRAGMA journal_mode = {mode}"), [], |_| Ok(()))?;
    // 16 MiB: a checkpoint writes the pages of many batches once.
    connection.execute_batch("PRAGMA wal_autocheckpoint = 4000")?;
    // 256 KiB of pages: a worker goes through the records in their order, so that more would fill and not help.
    connection.execute_batch("PRAGMA cache_size = -256")?;
    // What a statement may have to undo would be written to a temporary file, several pages for each row that is added.
    connection.execute_batch("PRAGMA temp_store = MEMORY")?;
    connection.execute_batch(if durable { "PRAGMA synchronous = FULL" } else { "PRAGMA synchronous = NORMAL" })?;
    Ok(version)
}
