//! The outbox in a SQLite file.

use std::{ffi::OsString, path::Path, sync::Arc};

use crate::{Outbox, OutboxError, store::sqlite::SqliteStore};

impl Outbox {
    /// Opens the outbox in a SQLite file, which is created if it does not exist. It may be the file of an application:
    /// every name begins with `bdc_outbox_`. Feature `sqlite`.
    ///
    /// The file is written in WAL mode, and what was added or stored survives a power failure. It must not be on a
    /// network file system. Any number of connections may add requests with [`Staged::SQL`](crate::Staged::SQL); one
    /// worker at a time sends them. Those connections need SQLite 3.51.3 or later, or 3.50.7 or 3.44.6: in WAL mode,
    /// other versions can lose what two of them write (<https://sqlite.org/wal.html#walresetbug>). The file holds
    /// records: protect it as you protect them.
    ///
    /// # Errors
    /// If the file cannot be opened, or has tables of another version.
    pub async fn sqlite(file: impl AsRef<Path>) -> Result<Self, OutboxError> {
        Self::open(file.as_ref(), true).await
    }

    /// The same, faster: what was added or stored last survives the end of the process, and may not survive a power
    /// failure. A request that was sent just before one may then be sent again.
    ///
    /// # Errors
    /// As [`sqlite`](Self::sqlite).
    pub async fn sqlite_without_sync(file: impl AsRef<Path>) -> Result<Self, OutboxError> {
        Self::open(file.as_ref(), false).await
    }

    async fn open(file: &Path, durable: bool) -> Result<Self, OutboxError> {
        let path = file.to_owned();
        let opened = tokio::task::spawn_blocking(move || SqliteStore::open(&path, durable)).await;
        let store =
            opened.map_err(|error| OutboxError::store("the outbox could not be opened").with_source(error))??;
        let mut lock = OsString::from(file);
        lock.push(".worker-lock");
        Ok(Self::new(Arc::new(store), Some(lock.into())))
    }
}
