//! Receiving callbacks: a router for your server, and calls that can be awaited to their callback. Feature `inbox`.
//!
//! An [`Inbox`] makes addresses, receives what is delivered to them, verifies it with [`callback`](crate::callback),
//! stores it, and gives it to whoever waits for it.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use business_data_connector::{Connector, inbox::Inbox, types::IncomeRecord};
//! use business_data_connector_sandbox::{DEMO_APIKEY, DEMO_APPID, Sandbox};
//!
//! let sandbox = Sandbox::start().await?;
//! let connector = Connector::builder().base_url(sandbox.base_url()).credentials(DEMO_APIKEY, DEMO_APPID).build()?;
//!
//! let inbox = Inbox::bind("127.0.0.1:0", None).await?;
//! connector.awaiting(&inbox).push_income("demo-business", IncomeRecord::new().id("INV-1")).await?;
//! let pulled = connector.awaiting(&inbox).pull_income("demo-business").await?;
//! assert_eq!(pulled.records::<IncomeRecord>()?[0].id.as_deref(), Some("INV-1"));
//! # Ok(())
//! # }
//! ```
//!
//! | you have | use |
//! |---|---|
//! | a script | [`Inbox::bind`], as above |
//! | a server of your own | [`Inbox::builder`] with a key, and [`Inbox::router`] |
//! | a call whose outcome you want | [`Connector::awaiting`], [`Call::awaiting`] |
//! | a call with interim callbacks | [`AwaitedCall::stream`] |
//! | requests that are sent elsewhere, such as from a queue | [`Inbox::address_for`], [`Inbox::wait_for`] |
//! | work to do for every callback | [`Inbox::callbacks`], [`Received::done`] |
//! | callbacks that must survive a restart | [`InboxBuilder::store`] with `SqliteStore`, or your own [`Store`] |
//!
//! # What is answered
//!
//! | status | when |
//! |---|---|
//! | 200 | the callback is stored, now or by an earlier delivery |
//! | 404 | the path has no genuine token, or the body belongs to another request |
//! | 405 | another method than POST |
//! | 408 | the body did not arrive within [`read_timeout`](InboxBuilder::read_timeout) |
//! | 413 | the body is over [`body_limit`](InboxBuilder::body_limit) |
//! | 503 | the callback could not be stored |
//!
//! The service tries again after 10 seconds, 2.5 minutes, 30 minutes and 6 hours unless it is answered with a 2xx
//! status, and discards the data after that (observed). So an application that is down for less than 6 hours loses
//! nothing, and one that is down for longer has to pull what it missed. [`Inbox::counts`] has the numbers for your
//! metrics; each case is logged through `tracing` as well.
//!
//! # Order, duplicates and lateness
//!
//! A callback with the same address and the same body as an earlier one is a duplicate: it is answered 200, counted,
//! and given to nobody. The first callback that does not announce another is [`Order::Final`], those before it are
//! [`Order::Interim`], and all that come after it are [`Order::AfterFinal`]: an awaited call has ended by then, and
//! they are in [`Inbox::callbacks`]. One that arrives after its address had expired is accepted and
//! [marked](Received::is_late).
//!
//! # Development with the sandbox
//!
//! The sandbox calls only this machine by default, over HTTP, which is what `Inbox::bind("127.0.0.1:0", None)` listens
//! on. Its faults `callback-duplicate`, `callback-late`, `callback-reordered` and `callback-interim` show how your
//! application copes. A service elsewhere cannot reach this machine: use a tunnel, and give its address as the
//! `public_url`.
//!
//! # In production: TLS, proxies and several instances
//!
//! TLS is ended by the proxy or load balancer in front; the public base URL begins with `https://`. The proxy may add
//! or remove a prefix of the path: see [the chapter on proxies](crate::callback#behind-a-proxy). It should have a body
//! limit of at least [`body_limit`](InboxBuilder::body_limit); nginx's default of 1 MB refuses a pull of 5,000 records.
//!
//! Several instances need the same keys and nothing else to verify each other's callbacks. What differs is who gets
//! them:
//!
//! * Each instance works on what it receives, with [`Inbox::callbacks`]: no shared state is needed. Deduplicate by
//!   what you write into your own database, since two deliveries of one callback may reach two instances.
//! * An instance awaits a call, and another one receives its callback: they need a [`Store`] that both see. The store
//!   is asked every [`poll_interval`](Store::poll_interval). Instances on one machine can share a `SqliteStore`.
//!
//! `examples/receive.rs` is a server of one's own with two instances and no shared state. Keys are replaced as
//! [described in `callback`](crate::callback#rotating-a-key).
//!
//! [`Connector::awaiting`]: crate::Connector::awaiting
//! [`Call::awaiting`]: crate::Call::awaiting

mod arrival;
mod awaiting;
mod builder;
mod by_file;
mod completed;
mod connector;
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
pub use awaiting::{AwaitedCall, CallbackStream};
pub use builder::InboxBuilder;
pub use by_file::{ByFile, FileCall};
pub use completed::Completed;
pub use connector::Awaiting;
pub use counts::Counts;
pub use error::AwaitError;
pub use handle::Inbox;
pub use memory::MemoryStore;
pub use put::UploadError;
#[cfg(feature = "sqlite")]
#[cfg_attr(docsrs, doc(cfg(feature = "sqlite")))]
pub use sqlite::{SqliteStore, Synchronous};
pub use store::{Added, NewCallback, Store, StoreError, StoreFuture, StoredCallback};
