//! The tables, and every statement on those of businesses and their requests.

use rusqlite::{Connection, OptionalExtension, Row, params, types::Type};
use serde_json::value::RawValue;

use super::Record;
use crate::DEMO_BUSINESS;

/// Changes with the tables; a file of another version is refused.
const VERSION: i64 = 2;

const TABLES: &str = "
    CREATE TABLE IF NOT EXISTS businesses (uid TEXT PRIMARY KEY, email TEXT, data TEXT NOT NULL);
    CREATE INDEX IF NOT EXISTS business_email ON businesses (email);
    CREATE TABLE IF NOT EXISTS records (
        seq INTEGER PRIMARY KEY, uid TEXT NOT NULL, kind TEXT NOT NULL, id TEXT, data TEXT NOT NULL,
        UNIQUE (uid, kind, id));
    CREATE TABLE IF NOT EXISTS uploads (
        uid TEXT NOT NULL, name TEXT NOT NULL, token TEXT NOT NULL, expires INTEGER NOT NULL, file TEXT,
        PRIMARY KEY (uid, name));
    CREATE TABLE IF NOT EXISTS queue (
        seq INTEGER PRIMARY KEY, operation TEXT NOT NULL, uid TEXT, data TEXT, webhook TEXT, signature TEXT, fault TEXT);
    CREATE TABLE IF NOT EXISTS callbacks (
        id INTEGER PRIMARY KEY AUTOINCREMENT, operation TEXT NOT NULL, direction TEXT NOT NULL, webhook TEXT NOT NULL, uid TEXT,
        signature TEXT, response TEXT NOT NULL, created INTEGER NOT NULL, due INTEGER,
        under_way INTEGER NOT NULL DEFAULT 0, held INTEGER NOT NULL DEFAULT 0, behind INTEGER,
        delivered INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE IF NOT EXISTS attempts (callback INTEGER NOT NULL, at INTEGER NOT NULL, outcome TEXT NOT NULL);
    CREATE INDEX IF NOT EXISTS attempt_of ON attempts (callback);
    CREATE INDEX IF NOT EXISTS callback_due ON callbacks (due) WHERE due IS NOT NULL AND under_way = 0;
";

pub(crate) fn prepare(db: &Connection) -> rusqlite::Result<()> {
    // Whoever has the file keeps it; one that is just stopping gets a moment.
    db.busy_timeout(std::time::Duration::from_secs(2))?;
    let version: i64 = db.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    let tables: i64 = db.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))?;
    if version != VERSION && (version != 0 || tables != 0) {
        let problem =
            format!("the file is of version {version}, and this sandbox reads version {VERSION}; choose another file");
        return Err(rusqlite::Error::ToSqlConversionFailure(problem.into()));
    }
    db.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
    db.pragma_update(None, "journal_mode", "WAL")?;
    db.pragma_update(None, "synchronous", "NORMAL")?;
    db.execute_batch(&format!("BEGIN; {TABLES} PRAGMA user_version = {VERSION}; COMMIT;"))?;
    add_demo_business(db)?;
    // Nobody knows how these went when the process ended.
    db.execute("UPDATE callbacks SET under_way = 0 WHERE under_way = 1", [])?;
    Ok(())
}

/// The data of a business, `None` when there is none of this uid.
pub(crate) fn business(db: &Connection, uid: &str) -> rusqlite::Result<Option<String>> {
    db.prepare_cached("SELECT data FROM businesses WHERE uid = ?1")?.query_row([uid], |row| row.get(0)).optional()
}

pub(crate) fn businesses_with_email(db: &Connection, email: &str) -> rusqlite::Result<Vec<String>> {
    let mut statement = db.prepare_cached("SELECT uid FROM businesses WHERE email = ?1 ORDER BY rowid")?;
    statement.query_map([email], |row| row.get(0))?.collect()
}

/// Adds a business and gives its uid.
pub(crate) fn add_business(db: &Connection, email: Option<&str>, data: &str) -> rusqlite::Result<String> {
    let count: i64 = db.query_row("SELECT count(*) FROM businesses", [], |row| row.get(0))?;
    let uid = format!("business-{count}");
    db.execute("INSERT INTO businesses (uid, email, data) VALUES (?1, ?2, ?3)", params![uid, email, data])?;
    Ok(uid)
}

pub(crate) fn update_business(db: &Connection, uid: &str, email: Option<&str>, data: &str) -> rusqlite::Result<()> {
    db.execute("UPDATE businesses SET email = ?2, data = ?3 WHERE uid = ?1", params![uid, email, data])?;
    Ok(())
}

/// Adds a record; one with the same id, kind and business is replaced where it stands.
pub(crate) fn put_record(db: &Connection, uid: &str, record: &Record) -> rusqlite::Result<()> {
    let mut statement = db.prepare_cached(
        "INSERT INTO records (uid, kind, id, data) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (uid, kind, id) DO UPDATE SET data = excluded.data",
    )?;
    statement.execute(params![uid, record.kind, record.id, record.data.get()])?;
    Ok(())
}

pub(crate) fn records(db: &Connection, uid: &str) -> rusqlite::Result<Vec<Record>> {
    let mut statement = db.prepare_cached("SELECT kind, id, data FROM records WHERE uid = ?1 ORDER BY seq")?;
    statement.query_map([uid], |row| Ok(Record { kind: row.get(0)?, id: row.get(1)?, data: json(row, 2)? }))?.collect()
}

pub(crate) fn remove_records(db: &Connection, uid: &str) -> rusqlite::Result<()> {
    db.execute("DELETE FROM records WHERE uid = ?1", [uid])?;
    Ok(())
}

/// A file that an upload address was given for.
pub(crate) struct Upload {
    pub(crate) name: String,
    pub(crate) token: String,
    /// In milliseconds since 1970.
    pub(crate) expires: i64,
    /// What was put there.
    pub(crate) file: Option<String>,
}

/// Gives out a name for a file of a business.
pub(crate) fn add_upload(db: &Connection, uid: &str, token: &str, expires: i64) -> rusqlite::Result<String> {
    let count: i64 = db.query_row("SELECT count(*) FROM uploads WHERE uid = ?1", [uid], |row| row.get(0))?;
    let name = format!("upload-{}", count + 1);
    db.execute(
        "INSERT INTO uploads (uid, name, token, expires) VALUES (?1, ?2, ?3, ?4)",
        params![uid, name, token, expires],
    )?;
    Ok(name)
}

pub(crate) fn keep_upload(db: &Connection, uid: &str, name: &str, file: &str) -> rusqlite::Result<()> {
    db.execute("UPDATE uploads SET file = ?3 WHERE uid = ?1 AND name = ?2", [uid, name, file])?;
    Ok(())
}

/// What was given out for a business.
pub(crate) fn uploads(db: &Connection, uid: &str) -> rusqlite::Result<Vec<Upload>> {
    let mut statement = db.prepare_cached("SELECT name, token, expires, file FROM uploads WHERE uid = ?1")?;
    let read =
        |row: &Row<'_>| Ok(Upload { name: row.get(0)?, token: row.get(1)?, expires: row.get(2)?, file: row.get(3)? });
    statement.query_map([uid], read)?.collect()
}

/// Every business, with its data and the number of its records.
pub(crate) fn businesses(db: &Connection) -> rusqlite::Result<Vec<(String, Box<RawValue>, i64)>> {
    let mut statement = db.prepare_cached(
        "SELECT uid, data, (SELECT count(*) FROM records WHERE records.uid = businesses.uid) FROM businesses ORDER BY rowid",
    )?;
    statement.query_map([], |row| Ok((row.get(0)?, json(row, 1)?, row.get(2)?)))?.collect()
}

/// Forgets everything but the business that is there from the start.
pub(crate) fn forget(db: &Connection) -> rusqlite::Result<()> {
    db.execute_batch(
        "DELETE FROM businesses; DELETE FROM records; DELETE FROM uploads; DELETE FROM queue; DELETE FROM callbacks;
         DELETE FROM attempts;",
    )?;
    add_demo_business(db)
}

fn add_demo_business(db: &Connection) -> rusqlite::Result<()> {
    db.execute("INSERT OR IGNORE INTO businesses (uid, data) VALUES (?1, '{}')", [DEMO_BUSINESS])?;
    Ok(())
}

/// A request that was taken and is not carried out yet.
pub(crate) struct Queued {
    pub(crate) seq: i64,
    pub(crate) operation: String,
    pub(crate) uid: Option<String>,
    pub(crate) data: Option<String>,
    pub(crate) webhook: Option<String>,
    pub(crate) signature: Option<String>,
    /// Whom a pull of businesses asks for; such a request is never queued.
    pub(crate) email: Option<String>,
    /// What is to go wrong with its callback.
    pub(crate) fault: Option<String>,
}

/// Queues a request; its number is given by the store.
pub(crate) fn enqueue(db: &Connection, queued: &Queued) -> rusqlite::Result<()> {
    let mut statement = db.prepare_cached(
        "INSERT INTO queue (operation, uid, data, webhook, signature, fault) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    let Queued { operation, uid, data, webhook, signature, fault, .. } = queued;
    statement.execute(params![operation, uid, data, webhook, signature, fault])?;
    Ok(())
}

/// The next requests of the queue.
pub(crate) fn next_queued(db: &Connection, limit: usize) -> rusqlite::Result<Vec<Queued>> {
    let mut statement = db.prepare_cached(
        "SELECT seq, operation, uid, data, webhook, signature, fault FROM queue ORDER BY seq LIMIT ?1",
    )?;
    let read = |row: &Row<'_>| {
        Ok(Queued {
            seq: row.get(0)?,
            operation: row.get(1)?,
            uid: row.get(2)?,
            data: row.get(3)?,
            webhook: row.get(4)?,
            signature: row.get(5)?,
            email: None,
            fault: row.get(6)?,
        })
    };
    statement.query_map([i64::try_from(limit).unwrap_or(i64::MAX)], read)?.collect()
}

pub(crate) fn dequeue(db: &Connection, seq: i64) -> rusqlite::Result<()> {
    db.prepare_cached("DELETE FROM queue WHERE seq = ?1")?.execute([seq])?;
    Ok(())
}

/// A column that holds JSON text.
pub(crate) fn json(row: &Row<'_>, index: usize) -> rusqlite::Result<Box<RawValue>> {
    RawValue::from_string(row.get(index)?)
        .map_err(|e| rusqlite::Error::FromSqlConversionFailure(index, Type::Text, e.into()))
}
