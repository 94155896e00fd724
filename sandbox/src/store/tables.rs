//! Every SQL statement on businesses, records and the queue.

use rusqlite::{Connection, OptionalExtension, Row, params};
use serde_json::value::RawValue;

use super::{
    error::{Json, Result},
    record::Record,
    schema::add_demo_business,
};

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
    // Businesses are only ever removed all together.
    let count: i64 = db.query_row("SELECT ifnull(max(rowid), 0) FROM businesses", [], |row| row.get(0))?;
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

/// The businesses that were created after one, none for the first, in the order of their creation.
pub(crate) fn businesses(db: &Connection, after: Option<&str>, limit: usize) -> Result<Vec<Business>> {
    let mut statement = db.prepare_cached(
        "SELECT uid, data, records FROM businesses
         WHERE rowid > ifnull((SELECT rowid FROM businesses WHERE uid = ?1), 0) ORDER BY rowid LIMIT ?2",
    )?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let read = |row: &Row<'_>| {
        let Json(data) = row.get("data")?;
        Ok(Business { uid: row.get("uid")?, data, records: row.get("records")? })
    };
    Ok(statement.query_map(params![after, limit], read)?.collect::<Result<_, _>>()?)
}

/// Adds records; each replaces a record of the same business, type and id, and keeps that one's position.
pub(crate) fn put_records(db: &Connection, uid: &str, records: &mut dyn Iterator<Item = Record>) -> Result<()> {
    let mut insert = db.prepare_cached(
        "INSERT INTO records (uid, kind, id, data) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (uid, kind, id) DO NOTHING",
    )?;
    let mut replace = db.prepare_cached("UPDATE records SET data = ?4 WHERE uid = ?1 AND kind = ?2 AND id = ?3")?;
    let mut added = 0_i64;
    for Record { record_type, id, data } in records {
        match insert.execute(params![uid, record_type, id, data.get()])? {
            0 => _ = replace.execute(params![uid, record_type, id, data.get()])?,
            _ => added += 1,
        }
    }
    db.prepare_cached("UPDATE businesses SET records = records + ?2 WHERE uid = ?1")?.execute(params![uid, added])?;
    Ok(())
}

/// A part of the records of a business, in the order in which they were first pushed.
pub(crate) struct Page {
    pub(crate) records: Vec<Record>,
    /// The position after which the next page begins; none after the last page.
    pub(crate) next: Option<i64>,
}

/// The records after a position, 0 for the first ones.
pub(crate) fn records_after(db: &Connection, uid: &str, position: i64, limit: usize) -> Result<Page> {
    let mut statement =
        db.prepare_cached("SELECT seq, kind, id, data FROM records WHERE uid = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3")?;
    let mut last = position;
    let read = |row: &Row<'_>| {
        last = row.get("seq")?;
        let Json(data) = row.get("data")?;
        Ok(Record { record_type: row.get("kind")?, id: row.get("id")?, data })
    };
    let rows = statement.query_map(params![uid, position, i64::try_from(limit).unwrap_or(i64::MAX)], read)?;
    let records: Vec<_> = rows.collect::<Result<_, _>>()?;
    let next = (records.len() == limit).then_some(last);
    Ok(Page { records, next })
}

/// Every record of a business.
pub(crate) fn records(db: &Connection, uid: &str) -> Result<Vec<Record>> {
    Ok(records_after(db, uid, 0, usize::MAX)?.records)
}

/// The records of one type as the text of a JSON array.
pub(crate) fn records_of_type(db: &Connection, uid: &str, record_type: &str) -> Result<Box<RawValue>> {
    let mut statement = db.prepare_cached("SELECT kind, data FROM records WHERE uid = ?1 ORDER BY seq")?;
    let mut rows = statement.query([uid])?;
    let mut list = String::from("[");
    while let Some(row) = rows.next()? {
        if row.get_ref("kind")?.as_str().is_ok_and(|kind| kind == record_type) {
            let separator = if list.len() > 1 { "," } else { "" };
            list.push_str(separator);
            list.push_str(row.get_ref("data")?.as_str().unwrap_or("null"));
        }
    }
    list.push(']');
    Ok(RawValue::from_string(list)?)
}

/// The number of records of a business.
pub(crate) fn record_count(db: &Connection, uid: &str) -> Result<i64> {
    let mut statement = db.prepare_cached("SELECT records FROM businesses WHERE uid = ?1")?;
    Ok(statement.query_row([uid], |row| row.get(0)).optional()?.unwrap_or_default())
}

pub(crate) fn remove_records(db: &Connection, uid: &str) -> Result<()> {
    db.execute("DELETE FROM records WHERE uid = ?1", [uid])?;
    db.execute("UPDATE businesses SET records = 0 WHERE uid = ?1", [uid])?;
    Ok(())
}

/// Deletes everything, and adds the demo business again.
pub(crate) fn reset(db: &Connection) -> Result<()> {
    db.execute_batch(
        "DELETE FROM businesses; DELETE FROM records; DELETE FROM uploads; DELETE FROM files; DELETE FROM queue;
         DELETE FROM callbacks; DELETE FROM responses; DELETE FROM attempts;",
    )?;
    add_demo_business(db)
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
    /// The address at which the sandbox was asked, for upload addresses.
    pub(crate) base_url: Option<String>,
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
            base_url: row.get("base_url")?,
        })
    }
}

/// Appends a request to the queue.
pub(crate) fn enqueue(db: &Connection, queued: &Queued) -> Result<()> {
    let mut statement = db.prepare_cached(
        "INSERT INTO queue (operation, uid, data, webhook, signature, fault, base_url)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?;
    let Queued { operation, uid, data, webhook, signature, fault, base_url, .. } = queued;
    statement.execute(params![operation, uid, data, webhook, signature, fault, base_url])?;
    Ok(())
}

/// The next request of the queue. One at a time, since a request may be as large as a body.
pub(crate) fn next_queued(db: &Connection) -> Result<Option<Queued>> {
    let mut statement = db.prepare_cached(
        "SELECT seq, operation, uid, data, webhook, signature, fault, base_url FROM queue ORDER BY seq LIMIT 1",
    )?;
    Ok(statement.query_row([], Queued::from_row).optional()?)
}

/// The number of the last request in the queue; 0 for an empty one.
pub(crate) fn last_queued(db: &Connection) -> Result<i64> {
    Ok(db.prepare_cached("SELECT ifnull(max(seq), 0) FROM queue")?.query_row([], |row| row.get(0))?)
}

pub(crate) fn dequeue(db: &Connection, seq: i64) -> Result<()> {
    db.prepare_cached("DELETE FROM queue WHERE seq = ?1")?.execute([seq])?;
    Ok(())
}
