//! The store in a SQLite file.

mod schema;

use std::{
    path::Path,
    sync::mpsc::{self, Receiver, Sender},
    thread,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use rusqlite::{Connection, OptionalExtension, Row, params};
use tokio::sync::oneshot;

use super::store::{Added, NewCallback, Store, StoreError, StoreFuture, StoredCallback};
use crate::callback::{CallbackId, SignatureEcho};

/// Keeps callbacks in a SQLite file. One that was answered 200 is in the file when the process is started again,
/// however it ended, until it is handled. Feature `sqlite`.
///
/// The file is written in WAL mode with one connection, which one thread owns. Deliveries that arrive at the same time
/// share a transaction. The file holds bodies: protect it as you protect your records.
///
/// A callback that is handled leaves its digest for a week, to recognise duplicates; its body is removed at once.
///
/// ```no_run
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// use business_data_connector::{callback::CallbackKey, inbox::{Inbox, SqliteStore}};
///
/// let key = CallbackKey::new(1, b"32 bytes that were read at start")?;
/// let store = SqliteStore::open("callbacks.db")?;
/// let inbox = Inbox::builder("https://partner.example/callbacks", key).store(store).build()?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct SqliteStore {
    jobs: Sender<Job>,
}

/// When a commit is on the disk.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Synchronous {
    /// Before the callback is answered: it survives a power failure. A commit takes as long as the disk needs.
    #[default]
    Full,
    /// Some time later: it survives the end of the process, but the last ones may not survive a power failure.
    Normal,
}

impl Synchronous {
    fn statement(self) -> &'static str {
        match self {
            Self::Full => "PRAGMA synchronous = FULL",
            Self::Normal => "PRAGMA synchronous = NORMAL",
        }
    }
}

/// Work within a transaction, or without a connection if none could be begun. It returns what is to be done once the
/// transaction was committed, or was not.
type Job = Box<dyn FnOnce(Option<&Connection>) -> Completion + Send>;
type Completion = Box<dyn FnOnce(bool) + Send>;

/// The largest number of jobs that share a transaction.
const BATCH: usize = 256;

/// How long the digest of a callback is kept, in seconds: longer than the service retries.
const REMEMBERED: i64 = 7 * 24 * 60 * 60;

const COLUMNS: &str = "number, id, digest, operation, uid, expires, interim, late, echo, received, after_final, body";

impl SqliteStore {
    /// Opens a file, which is created if it does not exist, with [`Synchronous::Full`].
    ///
    /// # Errors
    /// If the file cannot be opened, or is not a store of this version; it is unchanged then.
    pub fn open(file: impl AsRef<Path>) -> Result<Self, StoreError> {
        Self::open_with(file, Synchronous::default())
    }

    /// Opens a file, with a choice between safety and speed.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_with(file: impl AsRef<Path>, synchronous: Synchronous) -> Result<Self, StoreError> {
        let file = file.as_ref();
        let opened = Connection::open(file).and_then(|connection| {
            connection.busy_timeout(Duration::from_secs(10))?;
            Ok((schema::is_ours(&connection)?, connection))
        });
        let problem = || StoreError::new(format!("the store of callbacks {} cannot be opened", file.display()));
        let (ours, connection) = opened.map_err(|error| problem().with_source(error))?;
        if !ours {
            return Err(problem().with_source("it is a file of another program or version"));
        }
        schema::prepare(&connection, synchronous.statement()).map_err(|error| problem().with_source(error))?;
        let (jobs, receiver) = mpsc::channel();
        thread::Builder::new()
            .name("bdc-inbox-store".to_owned())
            .spawn(move || serve(&connection, &receiver))
            .map_err(|error| problem().with_source(error))?;
        Ok(Self { jobs })
    }

    /// Runs a job in a transaction, and returns its result once that is committed.
    fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> StoreFuture<'_, T> {
        let (sender, receiver) = oneshot::channel();
        let job = move |connection: Option<&Connection>| -> Completion {
            let result = connection.map(|connection| in_savepoint(connection, job));
            Box::new(move |committed| {
                let result = match result {
                    Some(Ok(value)) if committed => Ok(value),
                    Some(Err(error)) => Err(StoreError::new("the store of callbacks failed").with_source(error)),
                    _ => Err(StoreError::new("the store of callbacks could not write; is its disk full or locked?")),
                };
                // The caller may have gone.
                let _ = sender.send(result);
            })
        };
        let sent = self.jobs.send(Box::new(job));
        Box::pin(async move {
            let ended = || StoreError::new("the thread of the store of callbacks has ended");
            sent.map_err(|_| ended())?;
            receiver.await.map_err(|_| ended())?
        })
    }
}

impl Store for SqliteStore {
    fn add(&self, callback: NewCallback) -> StoreFuture<'_, Added> {
        self.run(move |db| add(db, &callback))
    }

    fn of_address(&self, id: CallbackId, after: u64) -> StoreFuture<'_, Vec<StoredCallback>> {
        self.run(move |db| {
            let sql = format!(
                "SELECT {COLUMNS} FROM callbacks WHERE id = ? AND number > ? AND handled IS NULL ORDER BY number"
            );
            db.prepare_cached(&sql)?.query_map(params![id.as_bytes(), number(after)], stored)?.collect()
        })
    }

    fn unhandled(&self, after: u64, limit: usize) -> StoreFuture<'_, Vec<StoredCallback>> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.run(move |db| {
            let sql =
                format!("SELECT {COLUMNS} FROM callbacks WHERE number > ? AND handled IS NULL ORDER BY number LIMIT ?");
            db.prepare_cached(&sql)?.query_map(params![number(after), limit], stored)?.collect()
        })
    }

    fn set_handled(&self, handled: u64) -> StoreFuture<'_, ()> {
        self.run(move |db| {
            let now = seconds(SystemTime::now());
            let sql = "UPDATE callbacks SET handled = ?, body = x'' WHERE number = ? AND handled IS NULL";
            db.prepare_cached(sql)?.execute(params![now, number(handled)])?;
            db.prepare_cached("DELETE FROM callbacks WHERE handled < ?")?.execute([now - REMEMBERED])?;
            Ok(())
        })
    }

    fn is_durable(&self) -> bool {
        true
    }

    fn poll_interval(&self) -> Option<Duration> {
        Some(Duration::from_secs(1))
    }
}

fn add(db: &Connection, callback: &NewCallback) -> rusqlite::Result<Added> {
    let NewCallback { id, digest, operation, uid, expires, interim, late, received, body, .. } = callback;
    let echo = match callback.echo {
        SignatureEcho::Missing => 0,
        SignatureEcho::Correct => 1,
        SignatureEcho::Different => 2,
    };
    let sql = "
        INSERT INTO callbacks (id, digest, operation, uid, expires, interim, late, echo, received, body, after_final)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, EXISTS (SELECT 1 FROM callbacks WHERE id = ?1 AND NOT interim))
        ON CONFLICT (id, digest) DO NOTHING RETURNING number";
    let values =
        params![id.as_bytes(), digest, operation, uid, expires, interim, late, echo, seconds(*received), &body[..]];
    let number: Option<i64> = db.prepare_cached(sql)?.query_row(values, |row| row.get(0)).optional()?;
    Ok(number.map_or(Added::Duplicate, |number| Added::New(number.unsigned_abs())))
}

fn stored(row: &Row<'_>) -> rusqlite::Result<StoredCallback> {
    let callback = NewCallback {
        id: CallbackId::from_bytes(row.get(1)?),
        digest: row.get(2)?,
        operation: row.get(3)?,
        uid: row.get(4)?,
        expires: row.get(5)?,
        interim: row.get(6)?,
        late: row.get(7)?,
        echo: match row.get(8)? {
            1 => SignatureEcho::Correct,
            2 => SignatureEcho::Different,
            _ => SignatureEcho::Missing,
        },
        awaited: false,
        received: UNIX_EPOCH + Duration::from_secs(row.get::<_, i64>(9)?.unsigned_abs()),
        body: row.get::<_, Vec<u8>>(11)?.into(),
    };
    Ok(StoredCallback { number: row.get::<_, i64>(0)?.unsigned_abs(), after_final: row.get(10)?, callback })
}

fn number(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn seconds(time: SystemTime) -> i64 {
    i64::try_from(time.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()).unwrap_or(i64::MAX)
}

/// Runs a job so that its failure leaves nothing behind, and the other jobs of its batch unaffected.
fn in_savepoint<T>(
    connection: &Connection,
    job: impl FnOnce(&Connection) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    connection.prepare_cached("SAVEPOINT job")?.execute([])?;
    let result = job(connection);
    if result.is_err() {
        connection.prepare_cached("ROLLBACK TO job")?.execute([])?;
    }
    connection.prepare_cached("RELEASE job")?.execute([])?;
    result
}

/// Runs jobs until the last handle is dropped.
fn serve(connection: &Connection, jobs: &Receiver<Job>) {
    while let Ok(first) = jobs.recv() {
        let begun = connection.execute_batch("BEGIN IMMEDIATE").is_ok();
        let transaction = begun.then_some(connection);
        let mut completions = vec![first(transaction)];
        while completions.len() < BATCH
            && let Ok(job) = jobs.try_recv()
        {
            completions.push(job(transaction));
        }
        let committed = begun && connection.execute_batch("COMMIT").is_ok();
        if !committed {
            // An error means that there is nothing to roll back.
            let _ = connection.execute_batch("ROLLBACK");
        }
        completions.into_iter().for_each(|completion| completion(committed));
    }
}
