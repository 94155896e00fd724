//! Every SQL statement on upload addresses, and the files uploaded to them.

use rusqlite::{Connection, OptionalExtension, params};

use super::error::Result;

/// What an address grants: the business, the name of the file, and the token.
pub(crate) struct Address<'a> {
    pub(crate) uid: &'a str,
    pub(crate) name: &'a str,
    pub(crate) token: &'a str,
}

/// An upload address that was issued.
pub(crate) struct Upload {
    id: i64,
    /// In milliseconds since 1970.
    pub(crate) expires: i64,
    pub(crate) has_file: bool,
}

/// How many outdated uploads are removed at a time, so that no request pays for many.
const REMOVED_AT_ONCE: i64 = 8;

/// Adds an upload address for a business, and returns the name of its file.
pub(crate) fn add_upload(db: &Connection, uid: &str, token: &str, expires: i64) -> Result<String> {
    let mut statement = db.prepare_cached("INSERT INTO uploads (uid, token, expires) VALUES (?1, ?2, ?3)")?;
    let id = statement.insert(params![uid, token, expires])?;
    let name = format!("upload-{id}");
    db.prepare_cached("UPDATE uploads SET name = ?2 WHERE id = ?1")?.execute(params![id, name])?;
    Ok(name)
}

/// An issued address, without its file.
pub(crate) fn upload(db: &Connection, address: &Address<'_>) -> Result<Option<Upload>> {
    let Address { uid, name, token } = address;
    let mut statement = db.prepare_cached(
        "SELECT id, expires, EXISTS (SELECT 1 FROM files WHERE files.upload = uploads.id) AS has_file
         FROM uploads WHERE uid = ?1 AND name = ?2 AND token = ?3",
    )?;
    let read = |row: &rusqlite::Row<'_>| {
        Ok(Upload { id: row.get("id")?, expires: row.get("expires")?, has_file: row.get("has_file")? })
    };
    Ok(statement.query_row([uid, name, token], read).optional()?)
}

/// Stores the file uploaded to an address.
pub(crate) fn set_file(db: &Connection, upload: &Upload, file: &str) -> Result<()> {
    let mut statement = db.prepare_cached("INSERT OR REPLACE INTO files (upload, text) VALUES (?1, ?2)")?;
    statement.execute(params![upload.id, file])?;
    Ok(())
}

pub(crate) fn file(db: &Connection, upload: &Upload) -> Result<Option<String>> {
    let mut statement = db.prepare_cached("SELECT text FROM files WHERE upload = ?1")?;
    Ok(statement.query_row([upload.id], |row| row.get(0)).optional()?)
}

/// Removes some of the addresses that expired before a time, and their files; the oldest first.
pub(crate) fn remove_expired(db: &Connection, before: i64) -> Result<()> {
    let mut statement = db.prepare_cached("SELECT id FROM uploads WHERE expires < ?1 ORDER BY expires LIMIT ?2")?;
    let outdated: Vec<i64> =
        statement.query_map([before, REMOVED_AT_ONCE], |row| row.get(0))?.collect::<Result<_, _>>()?;
    for id in outdated {
        db.prepare_cached("DELETE FROM files WHERE upload = ?1")?.execute([id])?;
        db.prepare_cached("DELETE FROM uploads WHERE id = ?1")?.execute([id])?;
    }
    Ok(())
}
