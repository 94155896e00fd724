//! The tables, and every SQL statement on businesses, records, uploads and the queue.

use rusqlite::{Connection, OptionalExtension, Row, params};
use serde_json::value::RawValue;

use super::{
    error::{Json, Result, StoreError},
    record::Record,
};
use crate::demo::DEMO_BUSINESS;

/// The version of the tables; a file of another version is refused.
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

pub(crate) fn prepare(db: &Connection) -> Result<()> {
    // Another process that has the file open keeps it; one that is stopping gets a moment to let go.
    db.busy_timeout(std::time::Duration::from_secs(2))?;
    let version: i64 = db.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    let tables: i64 = db.query_row("SELECT count(*) FROM sqlite_master", [], |row| row.get(0))?;
    if version != VERSION && (version != 0 || tables != 0) {
        return Err(StoreError::Version { found: version, expected: VERSION });
    }
    db.pragma_update(None, "locking_mode", "EXCLUSIVE")?;
    db.pragma_update(None, "journal_mode", "WAL")?;
    db.pragma_update(None, "synchronous", "NORMAL")?;
    db.execute_batch(&format!("BEGIN; {TABLES} PRAGMA user_version = {VERSION}; COMMIT;"))?;
    add_demo_business(db)?;
    // Their attempts ended with the process that made them.
    db.execute("UPDATE callbacks SET under_way = 0 WHERE under_way = 1", [])?;
    Ok(())
}

/// The data of a business; `None` for an unknown uid.
pub(crate) fn business(db: &Connection, uid: &str) -> Result<Option<String>> {
    let mut statement = db.prepare_cached("SELECT data FROM businesses WHERE uid = ?1")?;
    Ok(statement.query_row([uid], |row| row.get(0)).optional()?)
}

pub(crate) fn businesses_with_email(db: &Connection, email: &str) -> Result<Vec<String>> {
    let mut statement = db.prepare_cached("SELECT uid FROM businesses WHERE email = ?1 ORDER BY rowid")?;
    Ok(statement.query_map([email], |row| row.get(0))?.collect::<Result<_, _>>()?)
}

/// Adds a business and returns its uid.
pub(crate) fn add_business(db: &Connection, email: Option<&str>, data: &str) -> Result<String> {
    let count: i64 = db.query_row("SELECT count(*) FROM businesses", [], |row| row.get(0))?;
    let uid = format!("business-{count}");
    db.execute("INSERT INTO businesses (uid, email, data) VALUES (?1, ?2, ?3)", params![uid, email, data])?;
    Ok(uid)
}

pub(crate) fn update_business(db: &Connection, uid: &str, email: Option<&str>, data: &str) -> Result<()> {
    db.execute("UPDATE businesses SET email = ?2, data = ?3 WHERE uid = ?1", params![uid, email, data])?;
    Ok(())
}

/// A business, and the number of its records.
pub(crate) struct Business {
    pub(crate) uid: String,
    pub(crate) data: Box<RawValue>,
    pub(crate) records: i64,
}

/// Every business, in the order of their creation.
pub(crate) fn businesses(db: &Connection) -> Result<Vec<Business>> {
    let mut statement = db.prepare_cached(
        "SELECT uid, data, (SELECT count(*) FROM records WHERE records.uid = businesses.uid) AS records
         FROM businesses ORDER BY rowid",
    )?;
    let read = |row: &Row<'_>| {
        let Json(data) = row.get("data")?;
        Ok(Business { uid: row.get("uid")?, data, records: row.get("records")? })
    };
    Ok(statement.query_map([], read)?.collect::<Result<_, _>>()?)
}

/// Adds a record; it replaces a record of the same business, type and id, and keeps that one's position.
pub(crate) fn put_record(db: &Connection, uid: &str, record: &Record) -> Result<()> {
    let mut statement = db.prepare_cached(
        "INSERT INTO records (uid, kind, id, data) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (uid, kind, id) DO UPDATE SET data = excluded.data",
    )?;
    statement.execute(params![uid, record.record_type, record.id, record.data.get()])?;
    Ok(())
}

pub(crate) fn records(db: &Connection, uid: &str) -> Result<Vec<Record>> {
    let mut statement = db.prepare_cached("SELECT kind, id, data FROM records WHERE uid = ?1 ORDER BY seq")?;
    let read = |row: &Row<'_>| {
        let Json(data) = row.get("data")?;
        Ok(Record { record_type: row.get("kind")?, id: row.get("id")?, data })
    };
    Ok(statement.query_map([uid], read)?.collect::<Result<_, _>>()?)
}

pub(crate) fn remove_records(db: &Connection, uid: &str) -> Result<()> {
    db.execute("DELETE FROM records WHERE uid = ?1", [uid])?;
    Ok(())
}

/// An upload address that was issued, and the file uploaded to it.
pub(crate) struct Upload {
    pub(crate) name: String,
    pub(crate) token: String,
    /// In milliseconds since 1970.
    pub(crate) expires: i64,
    /// `None` until a file was uploaded.
    pub(crate) file: Option<String>,
}

/// Adds an upload address for a business, and returns the name of its file.
pub(crate) fn add_upload(db: &Connection, uid: &str, token: &str, expires: i64) -> Result<String> {
    let count: i64 = db.query_row("SELECT count(*) FROM uploads WHERE uid = ?1", [uid], |row| row.get(0))?;
    let name = format!("upload-{}", count + 1);
    db.execute(
        "INSERT INTO uploads (uid, name, token, expires) VALUES (?1, ?2, ?3, ?4)",
        params![uid, name, token, expires],
    )?;
    Ok(name)
}

/// Stores the file uploaded to an address.
pub(crate) fn set_upload_file(db: &Connection, uid: &str, name: &str, file: &str) -> Result<()> {
    db.execute("UPDATE uploads SET file = ?3 WHERE uid = ?1 AND name = ?2", [uid, name, file])?;
    Ok(())
}

/// Every upload address of a business.
pub(crate) fn uploads(db: &Connection, uid: &str) -> Result<Vec<Upload>> {
    let mut statement = db.prepare_cached("SELECT name, token, expires, file FROM uploads WHERE uid = ?1")?;
    let read = |row: &Row<'_>| {
        Ok(Upload {
            name: row.get("name")?,
            token: row.get("token")?,
            expires: row.get("expires")?,
            file: row.get("file")?,
        })
    };
    Ok(statement.query_map([uid], read)?.collect::<Result<_, _>>()?)
}

/// Deletes everything, and adds the demo business again.
pub(crate) fn reset(db: &Connection) -> Result<()> {
    db.execute_batch(
        "DELETE FROM businesses; DELETE FROM records; DELETE FROM uploads; DELETE FROM queue; DELETE FROM callbacks;
         DELETE FROM attempts;",
    )?;
    add_demo_business(db)
}

fn add_demo_business(db: &Connection) -> Result<()> {
    db.execute("INSERT OR IGNORE INTO businesses (uid, data) VALUES (?1, '{}')", [DEMO_BUSINESS])?;
    Ok(())
}

/// An accepted request that was not executed yet.
pub(crate) struct Queued {
    /// Assigned by the store.
    pub(crate) seq: i64,
    pub(crate) operation: String,
    pub(crate) uid: Option<String>,
    /// The JSON text of `data`.
    pub(crate) data: Option<String>,
    pub(crate) webhook: Option<String>,
    pub(crate) signature: Option<String>,
    /// The e-mail address whose businesses are listed; such a request is executed at once, and never stored.
    pub(crate) email: Option<String>,
    /// The fault of the request, which may apply to its callback.
    pub(crate) fault: Option<String>,
}

impl Queued {
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            seq: row.get("seq")?,
            operation: row.get("operation")?,
            uid: row.get("uid")?,
            data: row.get("data")?,
            webhook: row.get("webhook")?,
            signature: row.get("signature")?,
            email: None,
            fault: row.get("fault")?,
        })
    }
}

/// Appends a request to the queue.
pub(crate) fn enqueue(db: &Connection, queued: &Queued) -> Result<()> {
    let mut statement = db.prepare_cached(
        "INSERT INTO queue (operation, uid, data, webhook, signature, fault) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    let Queued { operation, uid, data, webhook, signature, fault, .. } = queued;
    statement.execute(params![operation, uid, data, webhook, signature, fault])?;
    Ok(())
}

/// The next requests of the queue, oldest first.
pub(crate) fn next_queued(db: &Connection, limit: usize) -> Result<Vec<Queued>> {
    let mut statement = db.prepare_cached(
        "SELECT seq, operation, uid, data, webhook, signature, fault FROM queue ORDER BY seq LIMIT ?1",
    )?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    Ok(statement.query_map([limit], Queued::from_row)?.collect::<Result<_, _>>()?)
}

pub(crate) fn dequeue(db: &Connection, seq: i64) -> Result<()> {
    db.prepare_cached("DELETE FROM queue WHERE seq = ?1")?.execute([seq])?;
    Ok(())
}
