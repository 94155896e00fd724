//! Where everything is kept: SQLite, in memory or in a file, behind one thread that writes in batches.
//!
//! What is answered 200 is committed before. A file survives the end of the process at any moment; it is not flushed for
//! each answer, so the end of the machine may take the last moments with it.

pub(crate) mod callbacks;
mod record;
pub(crate) mod tables;

use std::{
    fmt,
    path::Path,
    sync::mpsc::{self, Receiver, Sender},
    thread,
};

use rusqlite::Connection;
use tokio::sync::oneshot;

pub use record::Record;

/// Work in a transaction, and what is to be done once it is committed, or was not.
type Job = Box<dyn FnOnce(&Connection) -> Done + Send>;
type Done = Box<dyn FnOnce(bool) + Send>;

/// How many jobs share a transaction at most.
const BATCH: usize = 256;

/// What the thread is told.
enum Message {
    Work(Job),
    /// To close the store, and to say when it is.
    Close(oneshot::Sender<()>),
}

/// A handle on the thread that writes, which ends with its last handle, or when it is closed.
#[derive(Clone)]
pub(crate) struct Store(Sender<Message>);

/// Why something could not be kept or read.
#[derive(Debug)]
pub(crate) struct StoreError(String);

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the store failed: {}", self.0)
    }
}

impl std::error::Error for StoreError {}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        Self(error.to_string())
    }
}

impl Store {
    /// Opens a file, or a store in memory.
    ///
    /// # Errors
    /// When the file is no store of this version, or another process has it.
    pub(crate) fn open(file: Option<&Path>) -> Result<Self, StoreError> {
        let connection = match file {
            Some(file) => Connection::open(file)?,
            None => Connection::open_in_memory()?,
        };
        tables::prepare(&connection)?;
        let (sender, jobs) = mpsc::channel();
        let started =
            thread::Builder::new().name("bdc-sandbox-store".to_owned()).spawn(move || serve(connection, &jobs));
        started.map_err(|e| StoreError(e.to_string()))?;
        Ok(Self(sender))
    }

    /// Does some work in a transaction; what comes back is committed.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.submit(work)?.await.map_err(|_| StoreError("its thread has ended".to_owned()))?
    }

    /// Closes the store, whoever has a handle on it; nothing is done with it after that.
    pub(crate) async fn close(&self) {
        let (closed, wait) = oneshot::channel();
        if self.0.send(Message::Close(closed)).is_ok() {
            // It is closed as well when its thread ended before it could say so.
            let _ = wait.await;
        }
    }

    /// The same as `run`, for those who cannot wait otherwise.
    pub(crate) fn run_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (sender, receiver) = mpsc::sync_channel(1);
        self.enqueue(work, move |result| _ = sender.send(result))?;
        receiver.recv().map_err(|_| StoreError("its thread has ended".to_owned()))?
    }

    fn submit<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> Result<oneshot::Receiver<Result<T, StoreError>>, StoreError> {
        let (sender, receiver) = oneshot::channel();
        // Whoever asked may be gone.
        self.enqueue(work, move |result| _ = sender.send(result))?;
        Ok(receiver)
    }

    fn enqueue<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
        tell: impl FnOnce(Result<T, StoreError>) + Send + 'static,
    ) -> Result<(), StoreError> {
        let job = move |connection: &Connection| -> Done {
            let result = apart(connection, work).map_err(StoreError::from);
            Box::new(move |committed| {
                tell(if committed {
                    result
                } else {
                    result.and(Err(StoreError("nothing could be committed".to_owned())))
                });
            })
        };
        self.0.send(Message::Work(Box::new(job))).map_err(|_| StoreError("its thread has ended".to_owned()))
    }
}

/// A job that fails leaves nothing behind, and the others of its batch alone.
fn apart<T>(connection: &Connection, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> rusqlite::Result<T> {
    connection.prepare_cached("SAVEPOINT job")?.execute([])?;
    let result = work(connection);
    if result.is_err() {
        connection.prepare_cached("ROLLBACK TO job")?.execute([])?;
    }
    connection.prepare_cached("RELEASE job")?.execute([])?;
    result
}

/// A job that panics leaves nothing behind, and the thread to the others; whoever waits for it is told that nothing comes.
fn run(connection: &Connection, job: Job) -> Option<Done> {
    let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| job(connection)));
    if done.is_err() {
        // There may be no savepoint to go back to.
        let _ = connection.execute_batch("ROLLBACK TO job; RELEASE job");
    }
    done.ok()
}

fn serve(connection: Connection, messages: &Receiver<Message>) {
    let closed = loop {
        let first = match messages.recv() {
            Ok(Message::Work(job)) => job,
            Ok(Message::Close(closed)) => break Some(closed),
            Err(_) => break None,
        };
        let begun = connection.execute_batch("BEGIN IMMEDIATE").is_ok();
        let mut done = vec![run(&connection, first)];
        let mut close = None;
        while done.len() < BATCH {
            match messages.try_recv() {
                Ok(Message::Work(job)) => done.push(run(&connection, job)),
                Ok(Message::Close(closed)) => {
                    close = Some(closed);
                    break;
                }
                Err(_) => break,
            }
        }
        let committed = begun && connection.execute_batch("COMMIT").is_ok();
        if !committed {
            // There may be nothing to roll back.
            let _ = connection.execute_batch("ROLLBACK");
        }
        done.into_iter().flatten().for_each(|done| done(committed));
        if close.is_some() {
            break close;
        }
    };
    drop(connection);
    if let Some(closed) = closed {
        // Whoever asked may be gone.
        let _ = closed.send(());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_that_fails_leaves_nothing_behind() -> Result<(), StoreError> {
        let store = Store::open(None)?;
        let count = |store: &Store| {
            store.run_blocking(|db| db.query_row("SELECT count(*) FROM uploads", [], |row| row.get::<_, i64>(0)))
        };
        let failed = store.run_blocking(|db| {
            db.execute("INSERT INTO uploads (uid, name, token, expires) VALUES ('u', 'n', 't', 0)", [])?;
            db.execute("INSERT INTO nowhere VALUES (1)", [])
        });
        assert!(failed.is_err());
        assert_eq!(count(&store)?, 0);
        store.run_blocking(|db| {
            db.execute("INSERT INTO uploads (uid, name, token, expires) VALUES ('u', 'n', 't', 0)", [])
        })?;
        assert_eq!(count(&store)?, 1);
        Ok(())
    }

    #[test]
    fn a_job_that_panics_ends_nothing_but_itself() -> Result<(), StoreError> {
        let store = Store::open(None)?;
        let panicked: Result<(), _> = store.run_blocking(|db| {
            db.execute("INSERT INTO uploads (uid, name, token, expires) VALUES ('u', 'n', 't', 0)", [])?;
            panic!("on purpose")
        });
        assert!(panicked.is_err());
        let count =
            store.run_blocking(|db| db.query_row("SELECT count(*) FROM uploads", [], |row| row.get::<_, i64>(0)))?;
        assert_eq!(count, 0);
        Ok(())
    }

    #[test]
    fn a_file_that_is_no_store_is_refused_and_left_alone() -> Result<(), Box<dyn std::error::Error>> {
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
        assert!(error.contains("of version 77"), "{error}");
        Ok(())
    }
}
