//! The store: SQLite, in memory or in a file, behind one thread that writes in batches.
//!
//! A job is committed before its result is returned, so a request that was answered 200 survives the end of the
//! process at any moment. The file is not flushed to disk for each job, so the last moments before a power failure may
//! be lost.

pub(crate) mod callbacks;
mod error;
mod record;
pub(crate) mod tables;

use std::{
    path::Path,
    sync::mpsc::{self, Receiver, Sender},
    thread,
};

use rusqlite::Connection;
use tokio::sync::oneshot;

pub(crate) use error::{Result, StoreError};
pub use record::Record;

/// Work within a transaction. It returns what is to be done once the transaction was committed, or was not.
type Job = Box<dyn FnOnce(&Connection) -> Completion + Send>;
type Completion = Box<dyn FnOnce(bool) + Send>;

/// The largest number of jobs that share a transaction.
const BATCH: usize = 256;

/// A message to the thread.
enum Message {
    Work(Job),
    /// Closes the store, and reports when it is closed.
    Close(oneshot::Sender<()>),
}

/// A handle to the thread, which ends with its last handle, or when the store is closed.
#[derive(Clone)]
pub(crate) struct Store(Sender<Message>);

impl Store {
    /// Opens a file, or a store in memory.
    ///
    /// # Errors
    /// When the file is not a store of this version, or another process has it open.
    pub(crate) fn open(file: Option<&Path>) -> Result<Self> {
        let connection = match file {
            Some(file) => Connection::open(file)?,
            None => Connection::open_in_memory()?,
        };
        tables::prepare(&connection)?;
        let (sender, jobs) = mpsc::channel();
        thread::Builder::new()
            .name("bdc-sandbox-store".to_owned())
            .spawn(move || serve(connection, &jobs))
            .map_err(StoreError::Thread)?;
        Ok(Self(sender))
    }

    /// Runs a job in a transaction, and returns its result once that is committed.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce(&Connection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (sender, receiver) = oneshot::channel();
        // The caller may have gone.
        self.submit(job, move |result| _ = sender.send(result))?;
        receiver.await.map_err(|_| StoreError::Ended)?
    }

    /// The same as [`run`](Self::run), for callers that are not asynchronous.
    pub(crate) fn run_blocking<T: Send + 'static>(
        &self,
        job: impl FnOnce(&Connection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (sender, receiver) = mpsc::sync_channel(1);
        self.submit(job, move |result| _ = sender.send(result))?;
        receiver.recv().map_err(|_| StoreError::Ended)?
    }

    /// Closes the store, whoever else has a handle to it; later jobs fail.
    pub(crate) async fn close(&self) {
        let (closed, wait) = oneshot::channel();
        if self.0.send(Message::Close(closed)).is_ok() {
            // An error means that the thread has ended, which closes the store as well.
            let _ = wait.await;
        }
    }

    fn submit<T: Send + 'static>(
        &self,
        job: impl FnOnce(&Connection) -> Result<T> + Send + 'static,
        respond: impl FnOnce(Result<T>) + Send + 'static,
    ) -> Result<()> {
        let job = move |connection: &Connection| -> Completion {
            let result = in_savepoint(connection, job);
            Box::new(move |committed| {
                respond(if committed { result } else { result.and(Err(StoreError::NotCommitted)) });
            })
        };
        self.0.send(Message::Work(Box::new(job))).map_err(|_| StoreError::Ended)
    }
}

/// Runs a job so that its failure leaves nothing behind, and the other jobs of its batch unaffected.
fn in_savepoint<T>(connection: &Connection, job: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
    connection.prepare_cached("SAVEPOINT job")?.execute([])?;
    let result = job(connection);
    if result.is_err() {
        connection.prepare_cached("ROLLBACK TO job")?.execute([])?;
    }
    connection.prepare_cached("RELEASE job")?.execute([])?;
    result
}

/// Runs a job so that its panic leaves nothing behind, and the thread running. The caller of a job that panicked gets
/// [`StoreError::Ended`].
fn run(connection: &Connection, job: Job) -> Option<Completion> {
    let completion = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| job(connection)));
    if completion.is_err() {
        // An error means that the savepoint was not set yet.
        let _ = connection.execute_batch("ROLLBACK TO job; RELEASE job");
    }
    completion.ok()
}

fn serve(connection: Connection, messages: &Receiver<Message>) {
    let closed = loop {
        let first = match messages.recv() {
            Ok(Message::Work(job)) => job,
            Ok(Message::Close(closed)) => break Some(closed),
            Err(_) => break None,
        };
        let begun = connection.execute_batch("BEGIN IMMEDIATE").is_ok();
        let mut completions = vec![run(&connection, first)];
        let mut close = None;
        while completions.len() < BATCH {
            match messages.try_recv() {
                Ok(Message::Work(job)) => completions.push(run(&connection, job)),
                Ok(Message::Close(closed)) => {
                    close = Some(closed);
                    break;
                }
                Err(_) => break,
            }
        }
        let committed = begun && connection.execute_batch("COMMIT").is_ok();
        if !committed {
            // An error means that there is nothing to roll back.
            let _ = connection.execute_batch("ROLLBACK");
        }
        completions.into_iter().flatten().for_each(|completion| completion(committed));
        if close.is_some() {
            break close;
        }
    };
    drop(connection);
    if let Some(closed) = closed {
        // The caller may have gone.
        let _ = closed.send(());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_linked_sqlite_has_the_fix_of_the_wal_reset_bug() {
        // https://sqlite.org/wal.html#walresetbug
        assert!(rusqlite::version_number() >= 3_051_003, "{}", rusqlite::version());
    }

    #[test]
    fn a_job_that_fails_leaves_nothing_behind() -> Result<()> {
        let store = Store::open(None)?;
        let count = |store: &Store| {
            store.run_blocking(|db| Ok(db.query_row("SELECT count(*) FROM uploads", [], |row| row.get::<_, i64>(0))?))
        };
        let failed = store.run_blocking(|db| {
            db.execute("INSERT INTO uploads (uid, name, token, expires) VALUES ('u', 'n', 't', 0)", [])?;
            Ok(db.execute("INSERT INTO nowhere VALUES (1)", [])?)
        });
        assert!(failed.is_err());
        assert_eq!(count(&store)?, 0);
        store.run_blocking(|db| {
            Ok(db.execute("INSERT INTO uploads (uid, name, token, expires) VALUES ('u', 'n', 't', 0)", [])?)
        })?;
        assert_eq!(count(&store)?, 1);
        Ok(())
    }

    #[test]
    fn a_job_that_panics_leaves_nothing_behind_and_the_store_usable() -> Result<()> {
        let store = Store::open(None)?;
        let panicked: Result<()> = store.run_blocking(|db| {
            db.execute("INSERT INTO uploads (uid, name, token, expires) VALUES ('u', 'n', 't', 0)", [])?;
            panic!("on purpose")
        });
        assert!(panicked.is_err());
        let count = store
            .run_blocking(|db| Ok(db.query_row("SELECT count(*) FROM uploads", [], |row| row.get::<_, i64>(0))?))?;
        assert_eq!(count, 0);
        Ok(())
    }

    #[test]
    fn a_file_that_is_not_a_store_is_refused_and_left_unchanged() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("file");
        std::fs::write(
            &file,
            "not a database, and longer than the header of one, which has a hundred bytes .......................",
        )?;
        let before = std::fs::read(&file)?;
        assert!(Store::open(Some(&file)).is_err());
        assert_eq!(std::fs::read(&file)?, before);
        let other = folder.path().join("other");
        Connection::open(&other)?.execute_batch("PRAGMA user_version = 77")?;
        let error = Store::open(Some(&other)).err().map(|e| e.to_string()).unwrap_or_default();
        assert!(error.contains("it has version 77"), "{error}");
        Ok(())
    }
}
