//! The file: its tables and settings.

use rusqlite::{Connection, config::DbConfig};

/// `bdci`, so that no other program's file is taken for a store.
const APPLICATION: i32 = 0x6264_6369;
const VERSION: i32 = 1;

const SCHEMA: &str = "
    CREATE TABLE callbacks (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        id BLOB NOT NULL,
        digest BLOB NOT NULL,
        operation TEXT NOT NULL,
        uid TEXT,
        expires INTEGER NOT NULL,
        interim INTEGER NOT NULL,
        late INTEGER NOT NULL,
        echo INTEGER NOT NULL,
        received INTEGER NOT NULL,
        after_final INTEGER NOT NULL,
        handled INTEGER,
        body BLOB NOT NULL,
        UNIQUE (id, digest)
    ) STRICT;
    CREATE INDEX unhandled ON callbacks (number) WHERE handled IS NULL;
    CREATE INDEX handled ON callbacks (handled) WHERE handled IS NOT NULL;
";

/// Whether the file is empty or a store of this version. Nothing is written.
pub(super) fn is_ours(connection: &Connection) -> rusqlite::Result<bool> {
    let pragma = |name: &str| connection.query_row(&format!("PRAGMA {name}"), [], |row| row.get::<_, i32>(0));
    let tables: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    Ok(match (pragma("application_id")?, pragma("user_version")?) {
        (APPLICATION, VERSION) => true,
        (0, 0) => tables == 0,
        _ => false,
    })
}

pub(super) fn prepare(connection: &Connection, synchronous: &str) -> rusqlite::Result<()> {
    // Otherwise a statement is compiled again whenever its values change.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(()))?;
    // 256 KiB of pages: a callback is written once and read once.
    connection.execute_batch("PRAGMA cache_size = -256")?;
    // What a statement may have to undo would be written to a temporary file.
    connection.execute_batch("PRAGMA temp_store = MEMORY")?;
    connection.execute_batch(synchronous)?;
    connection.execute_batch("BEGIN IMMEDIATE")?;
    let empty: i64 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if empty == 0 {
        connection.execute_batch(SCHEMA)?;
        connection.execute_batch(&format!("PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION}"))?;
    }
    connection.execute_batch("COMMIT")
}
