//! The thread that owns the connection. Jobs that wait at the same time share a transaction, and so a commit.

use std::{
    sync::mpsc::{self, Receiver, Sender},
    thread,
    time::{Duration, Instant},
};

use rusqlite::Connection;
use tokio::sync::oneshot;

use crate::{OutboxError, store::StoreFuture};

/// Work within a transaction, or without a connection if none could be begun. It returns what is to be done once the
/// transaction was committed, or was not.
type Job = Box<dyn FnOnce(Option<&Connection>) -> Completion + Send>;
type Completion = Box<dyn FnOnce(bool) + Send>;

/// The largest number of jobs that share a transaction.
const GROUP: usize = 64;

/// How long a job that can wait does, for another one whose transaction it can share.
const PATIENCE: Duration = Duration::from_millis(20);

struct Waiting {
    job: Job,
    patient: bool,
}

/// A handle of the thread, which ends with the last one.
#[derive(Debug, Clone)]
pub(super) struct Database {
    jobs: Sender<Waiting>,
    /// Whether a commit takes long, so that it is worth waiting for others.
    durable: bool,
}

impl Database {
    pub(super) fn start(connection: Connection, durable: bool) -> std::io::Result<Self> {
        let (jobs, receiver) = mpsc::channel();
        let name = "bdc-outbox-store".to_owned();
        thread::Builder::new().name(name).spawn(move || serve(&connection, &receiver))?;
        Ok(Self { jobs, durable })
    }

    /// Runs a job in a transaction, and returns its result once that is committed.
    pub(super) fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> StoreFuture<'_, T> {
        self.submit(false, job)
    }

    /// The same, for a job that nobody waits for: it shares the transaction of the next one that somebody does.
    pub(super) fn run_patiently<T: Send + 'static>(
        &self,
        job: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> StoreFuture<'_, T> {
        self.submit(self.durable, job)
    }

    fn submit<T: Send + 'static>(
        &self,
        patient: bool,
        job: impl FnOnce(&Connection) -> rusqlite::Result<T> + Send + 'static,
    ) -> StoreFuture<'_, T> {
        let (sender, receiver) = oneshot::channel();
        let job = move |connection: Option<&Connection>| -> Completion {
            let result = connection.map(|connection| in_savepoint(connection, job));
            Box::new(move |committed| {
                let result = match result {
                    Some(Ok(value)) if committed => Ok(value),
                    Some(Err(error)) => Err(OutboxError::store("the outbox failed").with_source(error)),
                    _ => Err(OutboxError::store("the outbox could not write; is its disk full, or its file locked?")),
                };
                // The caller may have gone.
                let _ = sender.send(result);
            })
        };
        let sent = self.jobs.send(Waiting { job: Box::new(job), patient });
        Box::pin(async move {
            let ended = || OutboxError::store("the thread of the outbox has ended");
            sent.map_err(|_| ended())?;
            receiver.await.map_err(|_| ended())?
        })
    }
}

/// Runs a job so that its failure leaves nothing behind, and the other jobs of its group unaffected.
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
fn serve(connection: &Connection, jobs: &Receiver<Waiting>) {
    while let Ok(first) = jobs.recv() {
        let group = gather(first, jobs);
        // Whoever begins to write after reading fails at once when another connection writes.
        let begun = connection.execute_batch("BEGIN IMMEDIATE").is_ok();
        let transaction = begun.then_some(connection);
        let mut completions: Vec<_> = group.into_iter().map(|job| job(transaction)).collect();
        while completions.len() < GROUP
            && let Ok(Waiting { job, .. }) = jobs.try_recv()
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

/// Jobs that can wait are kept until one arrives that cannot.
fn gather(first: Waiting, jobs: &Receiver<Waiting>) -> Vec<Job> {
    let until = Instant::now() + PATIENCE;
    let mut patient = first.patient;
    let mut group = vec![first.job];
    while patient && group.len() < GROUP {
        let Ok(next) = jobs.recv_timeout(until.saturating_duration_since(Instant::now())) else { break };
        patient = next.patient;
        group.push(next.job);
    }
    group
}
