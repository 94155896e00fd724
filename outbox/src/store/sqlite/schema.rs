//! The tables. Their names begin with `bdc_outbox_`, since they may share a file with those of an application.

use rusqlite::Connection;

/// The version of the tables.
pub(super) const VERSION: i64 = 1;

/// States are the positions in `State::ALL`: 0 is queued, 1 sending, 3 confirmed.
///
/// Most requests go from queued to sending, taken and confirmed with a whole batch, so this is made cheap. That a batch
/// is taken is stored with the batch, and its requests stay at 1: the view has the state of each. An index that a
/// change of state does not concern has no `state` in its condition, since SQLite would write it each time; and no
/// index by time has the usual states, for which the times of batches are used. `dropped` is 0, or the number of a
/// request that was dropped, so that another one can have its key.
const TABLES: &str = "
    CREATE TABLE bdc_outbox_version (version INTEGER NOT NULL) STRICT;
    INSERT INTO bdc_outbox_version VALUES (1);

    CREATE TABLE bdc_outbox_records (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        uid TEXT NOT NULL,
        operation TEXT NOT NULL,
        record_id TEXT,
        request TEXT NOT NULL,
        state INTEGER NOT NULL DEFAULT 0,
        reason TEXT,
        added INTEGER NOT NULL DEFAULT (CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)),
        since INTEGER NOT NULL DEFAULT (CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER)),
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
    CREATE INDEX bdc_outbox_queued ON bdc_outbox_records (uid, number) WHERE state = 0;
    CREATE INDEX bdc_outbox_open ON bdc_outbox_records (uid, operation, number) WHERE state IN (5, 6);
    CREATE INDEX bdc_outbox_state ON bdc_outbox_records (state, since) WHERE state IN (4, 5, 6, 7, 8);
    CREATE INDEX bdc_outbox_send ON bdc_outbox_records (send) WHERE send IS NOT NULL;
    CREATE INDEX bdc_outbox_check ON bdc_outbox_records (check_at) WHERE check_at IS NOT NULL;

    CREATE TABLE bdc_outbox_sends (
        id BLOB PRIMARY KEY,
        uid TEXT NOT NULL,
        operation TEXT NOT NULL,
        begun INTEGER NOT NULL,
        records INTEGER NOT NULL,
        taken INTEGER
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX bdc_outbox_begun ON bdc_outbox_sends (begun);
    CREATE INDEX bdc_outbox_taken ON bdc_outbox_sends (taken) WHERE taken IS NOT NULL;

    CREATE VIEW bdc_outbox AS
        SELECT number, records.uid AS uid, records.operation AS operation, record_id, request,
            iif(state = 1 AND taken IS NOT NULL, 2, state) AS state, reason, added,
            iif(state = 1 AND taken IS NOT NULL, taken, since) AS since, attempts, resent, checking, check_at, absent
        FROM bdc_outbox_records AS records LEFT JOIN bdc_outbox_sends AS sends ON sends.id = records.send;

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
        UPDATE bdc_outbox_counts SET count = count + 1 WHERE state = new.state;
    END;
    CREATE TRIGGER bdc_outbox_removed AFTER DELETE ON bdc_outbox_records BEGIN
        UPDATE bdc_outbox_counts SET count = count - 1 WHERE state = old.state;
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
