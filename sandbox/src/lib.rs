//! The Business Data Connector Service on one machine, for development and tests.
//!
//! Routes, credentials and validation are made from the document, so an operation that is added there is served here.
//! Records are kept in memory. Every answer is without content, as the interface specifies; why a request was refused is
//! logged, and told by [`Sandbox::refusals`].
//!
//! What the interface does not show had to be chosen, and is marked as *assumed*: see [`effect`] and [`callback`].
//!
//! ```
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use business_data_connector::{Connector, types::IncomeRecord};
//! use business_data_connector_sandbox::{DEMO_APIKEY, DEMO_APPID, DEMO_BUSINESS, Sandbox};
//!
//! let sandbox = Sandbox::start().await?;
//! let connector = Connector::builder().base_url(sandbox.base_url()).credentials(DEMO_APIKEY, DEMO_APPID).build()?;
//! connector.push_income(DEMO_BUSINESS, IncomeRecord::new().id("INV-1").amount(5)).await?;
//! assert_eq!(sandbox.records(DEMO_BUSINESS).len(), 1);
//! # Ok(()) }
//! ```

pub mod callback;
mod credentials;
pub mod effect;
mod kind;
mod refusal;
mod route;
mod sandbox;
mod schemas;
mod store;

pub use refusal::Refusal;
pub use sandbox::{Sandbox, SandboxBuilder};
pub use store::Record;

/// The API key that is known unless others are set.
pub const DEMO_APIKEY: &str = "demo-apikey";
/// The application identifier that belongs to [`DEMO_APIKEY`].
pub const DEMO_APPID: &str = "demo-appid";
/// The header key that is known unless another is set.
pub const DEMO_HEADER_KEY: &str = "demo-header-key";
/// The business that is there from the start.
pub const DEMO_BUSINESS: &str = "demo-business";
