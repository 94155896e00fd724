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

const ISSUED: &str = "SELECT id, expires, EXISTS (SELECT 1 FROM files WHERE files.upload = uploads.id) AS has_file
    FROM uploads WHERE uid = ?1 AND name = ?2 AND token = ?3";

/// An issued address, without its file.
pub(crate) fn upload(db: &Connection, address: &Address<'_>) -> Result<Option<Upload>> {
    let Address { uid, name, token } = address;
    let mut statement = db.prepare_cached(ISSUED)?;
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

const EXPIRED: &str = "SELECT id FROM uploads WHERE expires < ?1 ORDER BY expires LIMIT ?2";

/// Removes some of the addresses that expired before a time, and their files; the oldest first.
pub(crate) fn remove_expired(db: &Connection, before: i64) -> Result<()> {
    let mut statement = db.prepare_cached(EXPIRED)?;
    let outdated: Vec<i64> =
        statement.query_map([before, REMOVED_AT_ONCE], |row| row.get(0))?.collect::<Result<_, _>>()?;
    for id in outdated {
        db.prepare_cached("DELETE FROM files WHERE upload = ?1")?.execute([id])?;
        db.prepare_cached("DELETE FROM uploads WHERE id = ?1")?.execute([id])?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{super::schema, *};

    fn store() -> Result<Connection> {
        let db = Connection::open_in_memory()?;
        schema::create(&db)?;
        schema::start(&db)?;
        Ok(db)
    }

    #[test]
    fn an_address_is_found_by_name_and_token_without_a_scan() -> Result<()> {
        let db = store()?;
        for sql in [ISSUED, EXPIRED] {
            let mut statement = db.prepare(&format!("EXPLAIN QUERY PLAN {sql}"))?;
            let parameters = vec!["1"; statement.parameter_count()];
            let plan = statement.query_map(rusqlite::params_from_iter(parameters), |row| row.get("detail"))?;
            let plan: Vec<String> = plan.collect::<std::result::Result<_, _>>()?;
            assert!(plan.iter().all(|step| !step.starts_with("SCAN")), "{sql}: {plan:?}");
        }
        let name = add_upload(&db, "u", "t", 5)?;
        let find = |uid, name, token| upload(&db, &Address { uid, name, token });
        let found = find("u", &name, "t")?;
        assert!(found.as_ref().is_some_and(|found| found.expires == 5 && !found.has_file));
        set_file(&db, &found.unwrap(), "[]")?;
        assert!(find("u", &name, "t")?.is_some_and(|found| found.has_file));
        for (uid, name, token) in [("v", name.as_str(), "t"), ("u", "upload-2", "t"), ("u", &name, "s")] {
            assert!(find(uid, name, token)?.is_none(), "{uid} {name} {token}");
        }
        Ok(())
    }

    #[test]
    fn what_has_expired_is_removed_with_its_files_the_oldest_first_and_a_few_at_a_time() -> Result<()> {
        let db = store()?;
        for expires in 0..20 {
            let name = add_upload(&db, "u", "t", expires)?;
            let added = upload(&db, &Address { uid: "u", name: &name, token: "t" })?;
            set_file(&db, &added.unwrap(), "[]")?;
        }
        let left = || -> Result<(i64, i64, Option<i64>)> {
            let sql = "SELECT count(*), (SELECT count(*) FROM files), min(expires) FROM uploads";
            Ok(db.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?)
        };
        for expected in [(12, 12, Some(8)), (5, 5, Some(15)), (5, 5, Some(15))] {
            remove_expired(&db, 15)?;
            assert_eq!(left()?, expected);
        }
        Ok(())
    }
}
