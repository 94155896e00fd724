//! The threads of the store: one that writes in batches, and one that reads.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::mpsc::{self, Receiver, Sender},
    thread,
};

use rusqlite::Connection;
use tokio::sync::oneshot;

use super::error::{Result, StoreError};

/// Work on the store; with a reason instead of a connection, it is not done.
pub(super) type Job = Box<dyn FnOnce(Result<&Connection, &str>) -> Finished + Send>;

type Report = Box<dyn FnOnce(Option<&str>) + Send>;

/// What is left of a job that has run.
pub(super) struct Finished {
    /// Why it failed, if it did.
    error: Option<String>,
    /// Reports its result, once it was committed, or the reason for which it was not.
    report: Report,
}

/// A message to a thread.
pub(super) enum Message {
    Work(Job),
    /// Ends the thread, and reports when its connection is closed.
    Close(oneshot::Sender<()>),
}

/// The largest number of jobs that share a transaction.
const BATCH: usize = 256;

/// Starts the thread that writes. The lock, if there is one, is released after the store is closed.
pub(super) fn writer(connection: Connection, lock: Option<Connection>) -> Result<Sender<Message>> {
    let (sender, messages) = mpsc::channel();
    spawn("bdc-sandbox-store", move || {
        let closed = write(&connection, &messages);
        drop(connection);
        drop(lock);
        report_closed(closed);
    })?;
    Ok(sender)
}

/// Starts the thread that reads.
pub(super) fn reader(connection: Connection) -> Result<Sender<Message>> {
    let (sender, messages) = mpsc::channel();
    spawn("bdc-sandbox-reader", move || {
        let closed = read(&connection, &messages);
        drop(connection);
        report_closed(closed);
    })?;
    Ok(sender)
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Result<()> {
    thread::Builder::new().name(name.to_owned()).spawn(work).map(drop).map_err(StoreError::Thread)
}

fn report_closed(closed: Option<oneshot::Sender<()>>) {
    if let Some(closed) = closed {
        // The caller may have gone.
        let _ = closed.send(());
    }
}

pub(super) fn job<T: Send + 'static>(
    work: impl FnOnce(&Connection) -> Result<T> + Send + 'static,
    respond: impl FnOnce(Result<T>) + Send + 'static,
) -> Job {
    Box::new(move |connection| {
        let result = match connection {
            Ok(connection) => in_savepoint(connection, work),
            Err(problem) => Err(StoreError::NotCommitted(problem.to_owned())),
        };
        Finished {
            error: result.as_ref().err().map(ToString::to_string),
            report: Box::new(move |problem| {
                respond(match problem {
                    None => result,
                    // Its own error was the first.
                    Some(problem) => result.and_then(|_| Err(StoreError::NotCommitted(problem.to_owned()))),
                });
            }),
        }
    })
}

/// Runs a job so that its failure leaves nothing behind, and the other jobs of its batch unaffected.
///
/// After an error such as a full disk, SQLite may have rolled back the whole transaction, with every savepoint.
fn in_savepoint<T>(connection: &Connection, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
    connection.prepare_cached("SAVEPOINT job")?.execute([])?;
    let result = work(connection);
    if connection.is_autocommit() {
        return result.and_then(|_| Err(StoreError::NotCommitted("its transaction was rolled back".to_owned())));
    }
    if result.is_err() {
        undo(connection);
    } else {
        connection.prepare_cached("RELEASE job")?.execute([])?;
    }
    result
}

/// Takes back what a job has done; or everything, if that is not possible.
fn undo(connection: &Connection) {
    if connection.execute_batch("ROLLBACK TO job; RELEASE job").is_err() {
        // An error means that there is no transaction any more.
        let _ = connection.execute_batch("ROLLBACK");
    }
}

/// Runs a job so that its panic leaves nothing behind, and the thread running. The caller of a job that panicked gets
/// [`StoreError::Ended`].
fn run(connection: Result<&Connection, &str>, job: Job) -> Option<Finished> {
    let finished = catch_unwind(AssertUnwindSafe(|| job(connection)));
    if let (Err(_), Ok(connection)) = (&finished, connection) {
        undo(connection);
    }
    finished.ok()
}

fn write(connection: &Connection, messages: &Receiver<Message>) -> Option<oneshot::Sender<()>> {
    loop {
        match messages.recv() {
            Ok(Message::Work(first)) => {
                if let Some(closed) = write_batch(connection, first, messages) {
                    return Some(closed);
                }
            }
            Ok(Message::Close(closed)) => return Some(closed),
            Err(_) => return None,
        }
    }
}

/// Runs jobs in a transaction for as long as there are any, and reports each once it is committed.
fn write_batch(connection: &Connection, first: Job, messages: &Receiver<Message>) -> Option<oneshot::Sender<()>> {
    let mut problem = begin(connection);
    let (mut next, mut jobs, mut close) = (Some(first), Vec::new(), None);
    while let Some(job) = next.take() {
        let finished = run(problem.as_deref().map_or(Ok(connection), Err), job);
        // SQLite may end a transaction by itself. What follows would then not be part of any.
        if problem.is_none() && connection.is_autocommit() {
            let error = finished.as_ref().and_then(|finished| finished.error.clone());
            problem = Some(error.unwrap_or_else(|| "a job of the same transaction failed".to_owned()));
        }
        jobs.extend(finished);
        if problem.is_some() || jobs.len() >= BATCH {
            break;
        }
        match messages.try_recv() {
            Ok(Message::Work(job)) => next = Some(job),
            Ok(Message::Close(closed)) => close = Some(closed),
            Err(_) => {}
        }
    }
    let problem = problem.or_else(|| connection.execute_batch("COMMIT").err().map(|error| error.to_string()));
    if problem.is_some() {
        // An error means that there is nothing to roll back.
        let _ = connection.execute_batch("ROLLBACK");
    }
    jobs.into_iter().for_each(|job| (job.report)(problem.as_deref()));
    close
}

/// Begins a transaction, or says why that is not possible.
fn begin(connection: &Connection) -> Option<String> {
    connection.execute_batch("BEGIN IMMEDIATE").err().map(|error| error.to_string())
}

fn read(connection: &Connection, messages: &Receiver<Message>) -> Option<oneshot::Sender<()>> {
    loop {
        match messages.recv() {
            Ok(Message::Work(job)) => {
                // Every statement of a job reads the same state of the file.
                let problem = connection.execute_batch("BEGIN").err().map(|error| error.to_string());
                let finished = run(problem.as_deref().map_or(Ok(connection), Err), job);
                // It has written nothing, so that there is nothing to lose.
                let _ = connection.execute_batch("ROLLBACK");
                finished.into_iter().for_each(|job| (job.report)(None));
            }
            Ok(Message::Close(closed)) => return Some(closed),
            Err(_) => return None,
        }
    }
}
