//! A sandbox of the Business Data Connector Service, which runs on one machine, for development and tests.
//!
//! Routes, credentials and validation are derived from the OpenAPI document, so an operation that is added there is
//! served here. Asynchronous operations are queued and executed in order. Everything is stored in SQLite: in memory,
//! or in a file that survives the end of the process at any moment ([`SandboxBuilder::data`]).
//!
//! Every reply is without content, as the interface specifies, unless [`Replies::Observed`] is set. Why a request was
//! refused is logged, returned by [`Sandbox::refusals`] and by the inspection API below `/_sandbox/`, and shown on the
//! page there. A key that the interface does not define is reported in the same way, with the one that was probably
//! meant. [`Fault`] lists what can be made to go wrong.
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
//! # Assumptions
//!
//! The interface specifies neither which mistake leads to which status, nor what an operation does, nor what its
//! callback holds. The sandbox assumes the following, unless marked as observed in deployed services.
//!
//! Statuses:
//!
//! - 401 for an unknown pair of credentials, and for a header key that is unknown or missing.
//! - 400 for any other mistake, such as a body that does not match its schema, an unknown `uid`, or a body of more
//!   than 16 MiB.
//! - 403 for a request that a page of somebody else may have sent: to a host or from an origin that is not the
//!   sandbox's own ([`SandboxBuilder::allow_host`], [`SandboxBuilder::public_url`], [`SandboxBuilder::cors`]).
//! - 404 or 405 for anything but the operations, the upload addresses and the inspection API.
//!
//! Operations:
//!
//! - Creating a business with the e-mail address of another returns that one's `uid` (observed).
//! - An update replaces the fields that it has and keeps the others.
//! - A reset removes the records of the business, and nothing else.
//! - A record replaces the record of the same type and `id`; without an `id` every record is a new one.
//! - An upload address points to the sandbox itself, at the host that the client used. It is valid for one business
//!   and for fifteen minutes, which [`Clock`] shortens, and removed a day later ([`SandboxBuilder::keep_uploads`]). A
//!   JSON array of settlement entries is PUT to it; a settlement file names an address to which an array was PUT before
//!   (observed).
//! - The businesses of an e-mail address, which are requested without a `webhook`, are returned with observed replies
//!   only.
//! - Any other operation, such as one newly added to the document, stores the records that it carries.
//!
//! Callbacks:
//!
//! - An accepted request with a `webhook` gets one callback, which is sent to addresses on this machine only, without
//!   following redirects.
//! - A webhook that can never be called, such as one with an invalid port, one on another machine or the sandbox
//!   itself, is reported as a warning, and its callback discarded at once.
//! - A webhook is called without the user and password in it. The callback has the User-Agent `bdc-sandbox/VERSION`.
//! - It is delivered at least once: while it is not answered with a status of 200 to 299, it is retried after 10 s,
//!   2.5 min, 30 min and 6 h, which [`Clock`] shortens, and then discarded.
//! - Its body is `{date, timestamp, signature, status, received: {webhook, uid, type, direction}, response}`, modelled
//!   on an observed bank-feed callback. `date` and `timestamp` are UTC, `status` is `success` or `error`, `signature`
//!   is that of the request, and `type` the operation.
//! - `response` is the result: `{error: false, message}`; `uid` and `token` instead of the message for a new business
//!   (observed; no operation accepts the token); `path` and `url` for an upload address; `income` or `expenses` as
//!   they were pushed; `records` (their number) for insights; and
//!   `{error: null, transactions: [], hardrefreshing: false}` for the bank feed.
//! - The `appid` in `received`, which was observed in deployed services, is left out: it is a credential.

mod access;
mod api;
mod builder;
mod callbacks;
mod clock;
mod credentials;
mod demo;
mod error;
mod faults;
mod http;
mod inspect;
mod limits;
mod log;
mod operations;
mod refusal;
mod replies;
mod retention;
mod sandbox;
mod spec;
mod state;
mod store;

pub use builder::SandboxBuilder;
pub use clock::Clock;
pub use demo::{DEMO_APIKEY, DEMO_APPID, DEMO_BUSINESS, DEMO_HEADER_KEY};
pub use error::Error;
pub use faults::{Fault, FaultRule};
pub use inspect::{CallbackState, LoggedAttempt, LoggedCallback};
pub use log::LoggedRequest;
pub use refusal::{Reason, Refusal};
pub use replies::Replies;
pub use sandbox::Sandbox;
pub use store::Record;
