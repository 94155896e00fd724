//! The parts of a worker one by one, for the tests of this crate.

use std::{
    path::Path,
    sync::{Arc, Mutex},
};

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
pub fn sqlite_store(file: &Path) -> Result<Arc<dyn Store>, OutboxError> {
    Ok(Arc::new(crate::store::sqlite::SqliteStore::open(file, false)?))
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
