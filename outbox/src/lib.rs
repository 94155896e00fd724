#![doc = include_str!("../README.md")]
// Without a store, there is little to do.
#![cfg_attr(not(any(feature = "postgres", feature = "sqlite")), allow(dead_code, unused_imports))]

mod counts;
mod enqueue_all;
mod entry;
mod error;
mod lock;
mod options;
mod outbox;
#[cfg(feature = "postgres")]
mod postgres;
mod record;
#[cfg(feature = "sqlite")]
mod sqlite;
mod state;
mod store;
#[cfg(feature = "testing")]
#[doc(hidden)]
pub mod testing;
mod time;
mod worker;

pub use counts::{Counts, Pause, StateCount};
pub use enqueue_all::Summary;
pub use entry::{Decision, DecisionKind, Entry, Event};
pub use error::OutboxError;
pub use outbox::{Enqueued, Outbox};
#[cfg(feature = "postgres")]
pub use postgres::{POSTGRES_MIGRATIONS, deadpool_postgres};
pub use record::{Record, Staged};
pub use state::State;
pub use worker::{Worker, WorkerBuilder};
