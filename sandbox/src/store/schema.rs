//! The tables, their versions, and how a file of an older version is read.

use rusqlite::Connection;

use super::error::{Result, StoreError};
use crate::demo::DEMO_BUSINESS;

/// What marks a SQLite file as one of the sandbox: `BDCS`.
pub(super) const APPLICATION_ID: i32 = i32::from_be_bytes(*b"BDCS");

/// The version of the tables. A file of an older version is upgraded, one of a newer version refused.
const VERSION: i32 = 3;

/// The version from before files had an [`APPLICATION_ID`].
pub(super) const FIRST_VERSION: i32 = 2;

/// Those of the first version, by which its files are known.
pub(super) const FIRST_TABLES: &str = "
    CREATE TABLE businesses (uid TEXT PRIMARY KEY, email TEXT, data TEXT NOT NULL);
    CREATE INDEX business_email ON businesses (email);
    CREATE TABLE records (
        seq INTEGER PRIMARY KEY, uid TEXT NOT NULL, kind TEXT NOT NULL, id TEXT, data TEXT NOT NULL,
        UNIQUE (uid, kind, id));
    CREATE TABLE uploads (
        uid TEXT NOT NULL, name TEXT NOT NULL, token TEXT NOT NULL, expires INTEGER NOT NULL, file TEXT,
        PRIMARY KEY (uid, name));
    CREATE TABLE queue (
        seq INTEGER PRIMARY KEY, operation TEXT NOT NULL, uid TEXT, data TEXT, webhook TEXT, signature TEXT, fault TEXT);
    CREATE TABLE callbacks (
        id INTEGER PRIMARY KEY AUTOINCREMENT, operation TEXT NOT NULL, direction TEXT NOT NULL, webhook TEXT NOT NULL, uid TEXT,
        signature TEXT, response TEXT NOT NULL, created INTEGER NOT NULL, due INTEGER,
        under_way INTEGER NOT NULL DEFAULT 0, held INTEGER NOT NULL DEFAULT 0, behind INTEGER,
        delivered INTEGER NOT NULL DEFAULT 0);
    CREATE TABLE attempts (callback INTEGER NOT NULL, at INTEGER NOT NULL, outcome TEXT NOT NULL);
    CREATE INDEX attempt_of ON attempts (callback);
    CREATE INDEX callback_due ON callbacks (due) WHERE due IS NOT NULL AND under_way = 0;
";

/// Those of this version.
const TABLES: &str = "
    CREATE TABLE businesses (
        uid TEXT PRIMARY KEY, email TEXT, data TEXT NOT NULL, records INTEGER NOT NULL DEFAULT 0);
    CREATE INDEX business_email ON businesses (email);
    CREATE TABLE records (
        seq INTEGER PRIMARY KEY, uid TEXT NOT NULL, kind TEXT NOT NULL, id TEXT, data TEXT NOT NULL,
        UNIQUE (uid, kind, id));
    CREATE INDEX record_of ON records (uid);
    CREATE TABLE uploads (
        id INTEGER PRIMARY KEY AUTOINCREMENT, uid TEXT NOT NULL, name TEXT, token TEXT NOT NULL,
        expires INTEGER NOT NULL);
    CREATE INDEX upload_of ON uploads (uid, name);
    CREATE INDEX upload_expires ON uploads (expires);
    CREATE TABLE files (upload INTEGER PRIMARY KEY, text TEXT NOT NULL);
    CREATE TABLE queue (
        seq INTEGER PRIMARY KEY, operation TEXT NOT NULL, uid TEXT, data TEXT, webhook TEXT, signature TEXT, fault TEXT,
        base_url TEXT);
    CREATE TABLE callbacks (
        id INTEGER PRIMARY KEY AUTOINCREMENT, operation TEXT NOT NULL, direction TEXT NOT NULL, webhook TEXT NOT NULL,
        uid TEXT, signature TEXT, created INTEGER NOT NULL, due INTEGER, under_way INTEGER NOT NULL DEFAULT 0,
        held INTEGER NOT NULL DEFAULT 0, behind INTEGER, delivered INTEGER NOT NULL DEFAULT 0,
        finished INTEGER NOT NULL DEFAULT 0, size INTEGER NOT NULL, response TEXT, large INTEGER);
    CREATE INDEX callback_due ON callbacks (due, id) WHERE due IS NOT NULL AND under_way = 0;
    CREATE INDEX callback_under_way ON callbacks (id) WHERE under_way = 1;
    CREATE INDEX callback_held ON callbacks (uid, id) WHERE held = 1 AND behind IS NULL;
    CREATE INDEX callback_behind ON callbacks (behind) WHERE held = 1;
    CREATE INDEX callback_finished ON callbacks (id) WHERE finished = 1;
    CREATE INDEX callback_large ON callbacks (large) WHERE large IS NOT NULL;
    CREATE TABLE responses (id INTEGER PRIMARY KEY, hash INTEGER NOT NULL, text TEXT NOT NULL);
    CREATE INDEX response_hash ON responses (hash);
    CREATE TABLE attempts (callback INTEGER NOT NULL, at INTEGER NOT NULL, outcome TEXT NOT NULL);
    CREATE INDEX attempt_of ON attempts (callback);
";

/// Makes way for the tables of this version.
const BEFORE_UPGRADE: &str = "
    DROP INDEX business_email; DROP INDEX attempt_of; DROP INDEX callback_due;
    ALTER TABLE businesses RENAME TO first_businesses; ALTER TABLE records RENAME TO first_records;
    ALTER TABLE uploads RENAME TO first_uploads; ALTER TABLE queue RENAME TO first_queue;
    ALTER TABLE callbacks RENAME TO first_callbacks; ALTER TABLE attempts RENAME TO first_attempts;
";

/// Moves what the first version has into the tables of this one.
const UPGRADE: &str = "
    INSERT INTO businesses SELECT uid, email, data,
        (SELECT count(*) FROM first_records WHERE first_records.uid = first_businesses.uid)
        FROM first_businesses ORDER BY rowid;
    INSERT INTO records SELECT seq, uid, kind, id, data FROM first_records;
    INSERT INTO uploads (uid, name, token, expires) SELECT uid, name, token, expires FROM first_uploads;
    INSERT INTO files SELECT id, file FROM first_uploads JOIN uploads USING (uid, name) WHERE file IS NOT NULL;
    INSERT INTO queue SELECT seq, operation, uid, data, webhook, signature, fault, NULL FROM first_queue;
    INSERT INTO callbacks SELECT id, operation, direction, webhook, uid, signature, created, due, 0, held, behind,
        delivered, due IS NULL AND held = 0 AND under_way = 0, octet_length(response), response, NULL
        FROM first_callbacks;
    INSERT INTO attempts SELECT callback, at, outcome FROM first_attempts;
    DROP TABLE first_businesses; DROP TABLE first_records; DROP TABLE first_uploads; DROP TABLE first_queue;
    DROP TABLE first_callbacks; DROP TABLE first_attempts;
";

/// Creates the tables in an empty database.
pub(super) fn create(db: &Connection) -> Result<()> {
    db.execute_batch(&format!(
        "BEGIN; {TABLES} PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {VERSION}; COMMIT;"
    ))?;
    Ok(())
}

/// Whether a database has exactly the tables of the first version.
pub(super) fn are_of_first_version(db: &Connection) -> Result<bool> {
    let definitions = |db: &Connection| -> Result<Vec<(String, Option<String>)>> {
        let mut statement =
            db.prepare("SELECT name, sql FROM sqlite_master WHERE name <> 'sqlite_sequence' ORDER BY name")?;
        Ok(statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<rusqlite::Result<_>>()?)
    };
    let expected = Connection::open_in_memory()?;
    expected.execute_batch(FIRST_TABLES)?;
    Ok(definitions(db)? == definitions(&expected)?)
}

/// Upgrades the tables of a file that was written by this version or an older one.
///
/// # Errors
/// [`StoreError::Newer`] for a file of a newer version, which is left unchanged.
pub(super) fn upgrade(db: &Connection) -> Result<()> {
    let found: i32 = db.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    match found {
        VERSION => Ok(()),
        FIRST_VERSION => Ok(db.execute_batch(&format!(
            "BEGIN; {BEFORE_UPGRADE} {TABLES} {UPGRADE} PRAGMA application_id = {APPLICATION_ID};
             PRAGMA user_version = {VERSION}; COMMIT;"
        ))?),
        _ => Err(StoreError::Newer { found, newest: VERSION }),
    }
}

/// What is done whenever a process starts with the store.
pub(super) fn start(db: &Connection) -> Result<()> {
    add_demo_business(db)?;
    // Their attempts ended with the process that made them.
    db.execute("UPDATE callbacks SET under_way = 0 WHERE under_way = 1", [])?;
    Ok(())
}

pub(super) fn add_demo_business(db: &Connection) -> Result<()> {
    db.execute("INSERT OR IGNORE INTO businesses (uid, data) VALUES (?1, '{}')", [DEMO_BUSINESS])?;
    Ok(())
}
