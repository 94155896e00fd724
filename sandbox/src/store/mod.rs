//! The store: SQLite, in memory or in a file, behind one thread that writes in batches.
//!
//! A job is committed before its result is returned, so a request that was answered 200 survives the end of the
//! process at any moment. A job whose transaction is not committed leaves nothing behind. The file is not flushed to
//! disk for each job, so the last moments before a power failure may be lost.
//!
//! A file is read by a second thread with a connection of its own, so that inspection does not wait for the writer, nor
//! the writer for inspection. A store in memory has one connection; what is read from it is read in small pieces.

pub(crate) mod callbacks;
mod error;
mod file;
mod record;
pub(crate) mod responses;
mod schema;
pub(crate) mod tables;
mod thread;
pub(crate) mod uploads;

use std::{
    path::{Path, PathBuf},
    sync::mpsc::{self, Sender},
};

use rusqlite::Connection;
use tokio::sync::oneshot;

pub(crate) use error::{Result, StoreError};
pub use record::Record;
use thread::{Message, job};

use crate::error::Error;

/// The size of a page of a store in memory. In a transaction that moves pages, SQLite looks at every page that is in
/// memory, and so at the whole store: larger pages are fewer. Of a file, few pages are in memory.
const PAGE_IN_MEMORY: u32 = 16 * 1024;

/// A handle to the threads, which end with the last handle, or when the store is closed.
#[derive(Clone)]
pub(crate) struct Store {
    writer: Sender<Message>,
    /// None for a store in memory, which the writer reads as well.
    reader: Option<Sender<Message>>,
}

impl Store {
    /// The same as [`open`](Self::open), with an error that names the file.
    ///
    /// # Errors
    /// [`Error::Data`] or [`Error::Store`].
    pub(crate) fn start(file: Option<PathBuf>) -> Result<Self, Error> {
        Self::open(file.as_deref()).map_err(|error| match file {
            Some(file) => Error::Data { file, problem: error.to_string() },
            None => error.into(),
        })
    }

    /// Opens a file, or a store in memory.
    ///
    /// # Errors
    /// When the file is not a store, is one of a newer version, or is in use.
    pub(crate) fn open(file: Option<&Path>) -> Result<Self> {
        let Some(file) = file else {
            let connection = Connection::open_in_memory()?;
            connection.pragma_update(None, "page_size", PAGE_IN_MEMORY)?;
            schema::create(&connection)?;
            schema::start(&connection)?;
            return Ok(Self { writer: thread::writer(connection, None)?, reader: None });
        };
        let file::Opened { writer, reader, lock } = file::open(file)?;
        schema::start(&writer)?;
        Ok(Self { writer: thread::writer(writer, Some(lock))?, reader: Some(thread::reader(reader)?) })
    }

    /// Runs a job in a transaction, and returns its result once that is committed.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        submit(&self.writer, work).await
    }

    /// The same as [`run`](Self::run), for callers that are not asynchronous.
    pub(crate) fn run_blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let (sender, receiver) = mpsc::sync_channel(1);
        let job = job(work, move |result| _ = sender.send(result));
        self.writer.send(Message::Work(job)).map_err(|_| StoreError::Ended)?;
        receiver.recv().map_err(|_| StoreError::Ended)?
    }

    /// Runs a job that only reads what is committed. In memory it takes the writer's time, so it should be short.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        submit(self.reader.as_ref().unwrap_or(&self.writer), work).await
    }

    /// Closes the store, whoever else has a handle to it; later jobs fail.
    pub(crate) async fn close(&self) {
        // The reader first, since the writer lets go of the file for the next process.
        for thread in self.reader.iter().chain([&self.writer]) {
            let (closed, wait) = oneshot::channel();
            if thread.send(Message::Close(closed)).is_ok() {
                // An error means that the thread has ended, which closes the store as well.
                let _ = wait.await;
            }
        }
    }
}

async fn submit<T: Send + 'static>(
    thread: &Sender<Message>,
    work: impl FnOnce(&Connection) -> Result<T> + Send + 'static,
) -> Result<T> {
    let (sender, receiver) = oneshot::channel();
    // The caller may have gone.
    let job = job(work, move |result| _ = sender.send(result));
    thread.send(Message::Work(job)).map_err(|_| StoreError::Ended)?;
    receiver.await.map_err(|_| StoreError::Ended)?
}

#[cfg(test)]
mod tests;
