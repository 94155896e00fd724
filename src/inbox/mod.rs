//! Receiving callbacks: a router for your server, and calls that can be awaited to their callback. Feature `inbox`.
mod arrival;
mod awaiting;
mod builder;
mod by_file;
mod completed;
mod core;
mod counts;
mod error;
mod handle;
mod memory;
mod put;
mod receive;
mod server;
#[cfg(feature = "sqlite")]
mod sqlite;
mod store;

pub use arrival::{Callbacks, Order, Received};
pub use awaiting::{AwaitedCall, Awaiting, CallbackStream};
pub use builder::InboxBuilder;
pub use by_file::{ByFile, FileCall};
pub use completed::Completed;
pub use counts::Counts;
pub use error::AwaitError;
pub use handle::Inbox;
pub use memory::MemoryStore;
pub use put::UploadError;
#[cfg(feature = "sqlite")]
#[cfg_attr(docsrs, doc(cfg(feature = "sqlite")))]
pub use sqlite::{SqliteStore, Synchronous};
pub use store::{Added, NewCallback, Store, StoreError, StoreFuture, StoredCallback};
