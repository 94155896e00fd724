//! The parts of a worker one by one, for the tests of this crate.

use std::sync::{Arc, Mutex};

use tokio::sync::broadcast;

use crate::{OutboxError, WorkerBuilder};
pub use crate::{
    store::{
        Added, Address, Addresses, Applied, Arrival, Batch, Check, Claim, Limits, Maintenance, NewPause, Row,
        Settlement, Store, Verdict,
    },
    time::{Clock, Millis},
    worker::{answer::Answer, core::Core, transport::Transport},
};

/// The store in a file, without waiting for the disk.
///
/// # Errors
/// If it cannot be opened.
#[cfg(feature = "sqlite")]
pub fn sqlite_store(file: &std::path::Path) -> Result<Arc<dyn Store>, OutboxError> {
    Ok(Arc::new(crate::store::sqlite::SqliteStore::open(file, false)?))
}

/// The store in a PostgreSQL database, with the clock of the caller.
///
/// # Errors
/// If the database cannot be reached, or has no tables.
#[cfg(feature = "postgres")]
pub async fn postgres_store(pool: deadpool_postgres::Pool) -> Result<Arc<dyn Store>, OutboxError> {
    Ok(Arc::new(crate::store::postgres::PostgresStore::open_for_tests(pool).await?))
}

/// The store in a PostgreSQL database, as a worker uses it.
///
/// # Errors
/// If the database cannot be reached, or has no tables.
#[cfg(feature = "postgres")]
pub async fn postgres_store_with_its_clock(pool: deadpool_postgres::Pool) -> Result<Arc<dyn Store>, OutboxError> {
    Ok(Arc::new(crate::store::postgres::PostgresStore::open(pool).await?))
}

/// The steps of a worker with the options of a builder.
pub fn core(
    builder: &WorkerBuilder,
    store: Arc<dyn Store>,
    transport: Arc<dyn Transport>,
    clock: Arc<dyn Clock>,
    seed: u64,
) -> Core {
    let random = Mutex::new(fastrand::Rng::with_seed(seed));
    Core { store, transport, clock, options: builder.options.clone(), events: broadcast::Sender::new(16), random }
}
