//! Parses and validates the OpenAPI document of the Business Data Connector Service.
//!
//! `build.rs`, `xtask` and the sandbox all use this crate, so that they reject the same documents with the same
//! messages.
//!
//! ```
//! # let text = include_str!("../../openapi/connector.yaml");
//! let document = business_data_connector_document::Document::parse(text)?;
//! assert_eq!(document.operations().len(), 18);
//! # Ok::<(), business_data_connector_document::Violations>(())
//! ```

mod callbacks;
mod check;
pub mod contract;
mod document;
mod operation;
mod record;
mod reference;
#[cfg(feature = "schemas")]
mod schema;
mod sensitive;
mod upload;
mod violation;
mod yaml;

pub use document::Document;
pub use operation::{Effect, Evidence, Operation};
pub use record::{Batch, Record};
pub use reference::{reference, referred};
#[cfg(feature = "schemas")]
pub use schema::{DIALECT, REQUESTS_FILE, SCHEMA_BASE, schema_file};
pub use upload::Upload;
pub use violation::{Violation, Violations};

/// The credentials in the JSON body of every operation.
pub const BODY_CREDENTIALS: [&str; 2] = ["apikey", "appid"];

/// The component that replaces `type: number` for the generator of the Rust client. Reserved.
pub const DECIMAL: &str = "Decimal";

/// The title of the generated schema that contains every type. Reserved: no component may have this name.
pub const REQUESTS: &str = "Requests";

/// The keywords of a property that restrict its values. Such a property needs an `example`, from which its test vectors
/// are generated. `enum` is not among them, because the document may not have it.
pub const LIMITS: [&str; 10] = [
    "pattern",
    "format",
    "minLength",
    "maxLength",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minItems",
];
