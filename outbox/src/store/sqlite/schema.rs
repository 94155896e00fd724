//! The tables. Their names begin with `bdc_outbox_`, since they may share a file with those of an application.

use rusqlite::Connection;

/// The version of the tables.
pub(super) const VERSION: i64 = 1;

/// States are the positions in `State::ALL`: 0 is queued, 1 sending, 2 taken, 3 confirmed.
///
/// Most requests go from queued to sending, taken and confirmed with a whole batch, so this writes one row: that of the
/// batch, which has the first and the last number of its requests. A request whose own `state` is null follows: it is
/// what the batch is in whose range it is, and queued after the last one of its business. This is safe because numbers
/// are committed in their order, as SQLite has one writer at a time. Whatever else becomes of a request is written with
/// it. The view `bdc_outbox` has the state of each.
///
/// `dropped` is 0, or the number of a request that was dropped, so that another one can have its key.
const TABLES: &str = "
    CREATE TABLE bdc_outbox_version (version INTEGER NOT NULL) STRICT;
    INSERT INTO bdc_outbox_version VALUES (1);

    CREATE TABLE bdc_outbox_records (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        uid TEXT NOT NULL,
        operation TEXT NOT NULL,
        record_id TEXT,
        request TEXT NOT NULL,
        state INTEGER,
        reason TEXT,
        added INTEGER NOT NULL DEFAULT (CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)),
        since INTEGER,
        attempts INTEGER NOT NULL DEFAULT 0,
        resent INTEGER NOT NULL DEFAULT 0,
        alone INTEGER NOT NULL DEFAULT 0,
        send BLOB,
        checking BLOB,
        check_at INTEGER,
        absent INTEGER NOT NULL DEFAULT 0,
        dropped INTEGER NOT NULL DEFAULT 0
    ) STRICT;
    CREATE UNIQUE INDEX bdc_outbox_key ON bdc_outbox_records (uid, record_id, operation, dropped)
        WHERE record_id IS NOT NULL;
    CREATE INDEX bdc_outbox_follows ON bdc_outbox_records (uid, number) WHERE state IS NULL;
    CREATE INDEX bdc_outbox_again ON bdc_outbox_records (uid, number) WHERE state = 0;
    CREATE INDEX bdc_outbox_open ON bdc_outbox_records (uid, operation, number) WHERE state IN (5, 6);
    CREATE INDEX bdc_outbox_state ON bdc_outbox_records (state, since) WHERE state IN (3, 4, 5, 6, 7, 8);
    CREATE INDEX bdc_outbox_send ON bdc_outbox_records (send) WHERE send IS NOT NULL;
    CREATE INDEX bdc_outbox_check ON bdc_outbox_records (check_at) WHERE check_at IS NOT NULL;

    CREATE TABLE bdc_outbox_sends (
        id BLOB PRIMARY KEY,
        uid TEXT NOT NULL,
        operation TEXT NOT NULL,
        begun INTEGER NOT NULL,
        records INTEGER NOT NULL,
        first INTEGER,
        last INTEGER,
        state INTEGER,
        since INTEGER,
        reason TEXT
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX bdc_outbox_begun ON bdc_outbox_sends (begun);
    CREATE INDEX bdc_outbox_range ON bdc_outbox_sends (uid, first, last) WHERE first IS NOT NULL;
    CREATE INDEX bdc_outbox_moved ON bdc_outbox_sends (state, since) WHERE state IN (2, 3);

    CREATE VIEW bdc_outbox AS
        SELECT number, records.uid AS uid, records.operation AS operation, record_id, request,
            coalesce(records.state, sends.state, 0) AS state,
            iif(records.state IS NULL, sends.reason, records.reason) AS reason, added,
            coalesce(records.since, sends.since, added) AS since,
            attempts + (records.state IS NULL AND sends.id IS NOT NULL) AS attempts, resent,
            coalesce(records.send, sends.id) AS send, checking, check_at, absent
        FROM bdc_outbox_records AS records LEFT JOIN bdc_outbox_sends AS sends ON records.state IS NULL
            AND sends.last >= number AND sends.id = (
                SELECT id FROM bdc_outbox_sends AS latest INDEXED BY bdc_outbox_range
                WHERE latest.uid = records.uid AND latest.first <= number ORDER BY latest.first DESC LIMIT 1
            );

    CREATE TABLE bdc_outbox_lanes (
        uid TEXT PRIMARY KEY,
        send BLOB,
        not_before INTEGER NOT NULL DEFAULT 0,
        served INTEGER NOT NULL DEFAULT 0,
        failures INTEGER NOT NULL DEFAULT 0
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX bdc_outbox_next ON bdc_outbox_lanes (served);

    CREATE TABLE bdc_outbox_pauses (
        scope TEXT PRIMARY KEY,
        until INTEGER,
        reason TEXT NOT NULL,
        since INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE bdc_outbox_decisions (
        number INTEGER NOT NULL,
        kind TEXT NOT NULL,
        decided_by TEXT NOT NULL,
        why TEXT NOT NULL,
        at INTEGER NOT NULL,
        from_state INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX bdc_outbox_decided ON bdc_outbox_decisions (number);

    CREATE TABLE bdc_outbox_counts (state INTEGER PRIMARY KEY, count INTEGER NOT NULL) STRICT;
    INSERT INTO bdc_outbox_counts VALUES (0, 0), (1, 0), (2, 0), (3, 0), (4, 0), (5, 0), (6, 0), (7, 0), (8, 0);

    CREATE TRIGGER bdc_outbox_differs BEFORE INSERT ON bdc_outbox_records WHEN new.record_id IS NOT NULL AND EXISTS (
        SELECT 1 FROM bdc_outbox_records AS old
        WHERE old.uid = new.uid AND old.record_id = new.record_id AND old.operation = new.operation AND old.dropped = 0
            AND old.request <> new.request
    ) BEGIN
        SELECT RAISE(ABORT, 'the outbox has another record with this id');
    END;
    CREATE TRIGGER bdc_outbox_inserted AFTER INSERT ON bdc_outbox_records BEGIN
        INSERT OR IGNORE INTO bdc_outbox_lanes (uid) VALUES (new.uid);
        UPDATE bdc_outbox_counts SET count = count + 1 WHERE state = coalesce(new.state, 0);
    END;
    CREATE TRIGGER bdc_outbox_removed AFTER DELETE ON bdc_outbox_records BEGIN
        UPDATE bdc_outbox_counts SET count = count - 1 WHERE state = coalesce(old.state, (
            SELECT iif(last >= old.number, state, 0) FROM bdc_outbox_sends INDEXED BY bdc_outbox_range
            WHERE uid = old.uid AND first <= old.number ORDER BY first DESC LIMIT 1
        ), 0);
        DELETE FROM bdc_outbox_decisions WHERE number = old.number;
    END;
";

/// The version of the tables in the file; `None` if there are none.
pub(super) fn version(connection: &Connection) -> rusqlite::Result<Option<i64>> {
    let sql = "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'bdc_outbox_version'";
    match connection.query_row(sql, [], |row| row.get::<_, i64>(0))? {
        0 => Ok(None),
        _ => connection.query_row("SELECT version FROM bdc_outbox_version", [], |row| row.get(0)).map(Some),
    }
}

/// Creates the tables, unless another process has in the meantime.
pub(super) fn create(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch("BEGIN IMMEDIATE")?;
    let created = version(connection).and_then(|version| match version {
        None => connection.execute_batch(TABLES),
        Some(_) => Ok(()),
    });
    connection.execute_batch(if created.is_ok() { "COMMIT" } else { "ROLLBACK" })?;
    created
}
