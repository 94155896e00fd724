//! The Business Data Connector Service on one machine, for development and tests.
//!
//! Routes, credentials and validation are made from the document, so an operation that is added there is served here.
//! Asynchronous operations are queued and carried out in their order. Everything is kept in SQLite: in memory, or in a file
//! that survives the end of the process at any moment ([`SandboxBuilder::data`]). Every answer is without content, as the
//! interface specifies, unless [`Replies::Observed`] is set; why a request was refused is logged, and told by
//! [`Sandbox::refusals`], by the inspection API below `/_sandbox/`, and in plain words by the page there. So is a key that
//! the interface does not know, with the one that was probably meant. [`Fault`] lists what can be made to go wrong.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use business_data_connector::{Connector, types::IncomeRecord};
//! use business_data_connector_sandbox::{DEMO_APIKEY, DEMO_APPID, DEMO_BUSINESS, Sandbox};
//!
//! let sandbox = Sandbox::start().await?;
//! let connector = Connector::builder().base_url(sandbox.base_url()).credentials(DEMO_APIKEY, DEMO_APPID).build()?;
//! connector.push_income(DEMO_BUSINESS, IncomeRecord::new().id("INV-1").amount(5)).await?;
//! assert_eq!(sandbox.records(DEMO_BUSINESS)?.len(), 1);
//! # Ok(()) }
//! ```
//!
//! # What is assumed
//!
//! The interface shows neither which problem leads to which status, nor what an operation does, nor what its callback says.
//! Here:
//!
//! - 401 for a pair or a header key that is not known, or a header that is missing; 400 for what else is wrong with it, such as a body
//!   that its schema does not take, a `uid` of no business, or more than 16 MiB. Anything beside the operations and the
//!   upload addresses gets 404 or 405.
//! - Creating a business with an e-mail address that another has gives that one's `uid` (observed in deployed services).
//! - An update replaces the fields that it carries and keeps the others.
//! - A reset removes the records of the business, and nothing else.
//! - The upload address is one of the sandbox itself, for one business and fifteen minutes, which the clock makes shorter; a
//!   JSON array of settlement entries is PUT there, and a settlement file must be one that was (observed).
//! - The businesses of an e-mail address, which are asked for without a `webhook`, are told with observed replies only.
//! - A second record of a kind with the same `id` takes the place of the first; without an `id` each is one of its own.
//! - Any other operation, such as one newly added to the document, stores the records that it carries.
//! - There is one callback for each request that was taken and gave a `webhook`, to addresses on this machine only, without
//!   following redirects. It is delivered at least once: again after 10 s, 2.5 min, 30 min and 6 h ([`Clock`] makes that
//!   shorter) while it is not answered with a status of 200 to 299, and then discarded. It is `{date, timestamp, signature, status, received: {webhook, uid, type,
//!   direction}, response}`, after what a bank-feed callback of deployed services looks like: `date` and `timestamp` are
//!   UTC, `status` is `success` or `error`, `signature` is the request's own, `type` is the operation, `response` what came of it: `{error: false, message}`, `uid` and `token`
//!   in place of the message for a new business (observed; nothing takes the token), `path` and `url` for an upload address, `income` or `expenses` as they were pushed, `records` (their number)
//!   for insights, and `{error: null, transactions: [], hardrefreshing: false}` for the bank feed. The `appid` that deployed services were
//!   seen to repeat in `received` is left out: it is a credential.

mod api;
mod builder;
mod callbacks;
mod clock;
mod credentials;
mod faults;
mod http;
mod inspect;
mod log;
mod operations;
mod reason;
mod refusal;
mod replies;
mod sandbox;
mod spec;
mod state;
mod store;

// The names before the move.
use api::{self as route, json};
use callbacks::{delivery as deliver, payload as callback};
use faults::fault;
use http::{body as received, connection, server as serve};
use operations::{effects as effect, queue as process};
use spec::{records as kind, redaction, schemas};
use state as service;

pub use builder::SandboxBuilder;
pub use clock::Clock;
pub use fault::{Fault, FaultRule};
pub use inspect::{AttemptState, CallbackState};
pub use log::Request;
pub use reason::Reason;
pub use refusal::Refusal;
pub use replies::Replies;
pub use sandbox::Sandbox;
pub use store::Record;

/// The API key that is known unless others are set.
pub const DEMO_APIKEY: &str = "demo-apikey";
/// The application identifier that belongs to [`DEMO_APIKEY`].
pub const DEMO_APPID: &str = "demo-appid";
/// The header key that is known unless another is set.
pub const DEMO_HEADER_KEY: &str = "demo-header-key";
/// The business that is there from the start.
pub const DEMO_BUSINESS: &str = "demo-business";
