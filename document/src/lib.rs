//! Reads the OpenAPI document of the Business Data Connector Service.
//!
//! `build.rs`, `xtask` and the sandbox all read the document through here, so that what one of them refuses, all of
//! them refuse, with the same sentence.
//!
//! ```
//! # let text = include_str!("../../openapi/connector.yaml");
//! let document = business_data_connector_document::Document::parse(text)?;
//! assert_eq!(document.operations().len(), 18);
//! # Ok::<(), business_data_connector_document::Faults>(())
//! ```

mod check;
pub mod contract;
mod document;
mod fault;
mod operation;
mod reference;
#[cfg(feature = "schemas")]
mod schema;

pub use document::Document;
pub use fault::{Fault, Faults};
pub use operation::{Effect, Evidence, Operation};
pub use reference::{reference, referred};
#[cfg(feature = "schemas")]
pub use schema::{DIALECT, REQUESTS_FILE, SCHEMA_BASE, schema_file};

/// The credentials that the interface puts into the JSON body of every operation.
pub const BODY_CREDENTIALS: [&str; 2] = ["apikey", "appid"];

/// The title of the emitted schema that has every type, and so no name for a component.
pub const REQUESTS: &str = "Requests";
