//! Reads records and rejects keys that no field has, such as `ammount`.
//!
//! Deserializing a record ignores unknown keys, so that a newer document or service does not break an older client. For
//! records that people or other programs write, that hides mistakes: a misspelt `amount` would be pushed as an absent
//! one. This module reads the same types and reports every unknown key with its location and the field that was
//! probably meant.
//!
//! ```
//! use business_data_connector::{strict, types::IncomeRecord};
//!
//! let error = strict::from_str::<Vec<IncomeRecord>>(r#"[{ "id": "INV-1", "ammount": 19.99 }]"#).unwrap_err();
//! assert_eq!(error.to_string(), "unknown key `ammount` at /0/ammount (line 1); did you mean `amount`?");
//! ```
//!
//! It works with any [`serde::Deserialize`], so that a file with several records can be a struct of its own. A struct
//! or enum that serde buffers (`flatten`, internally and adjacently tagged, untagged) accepts every key inside it, and
//! nothing can be reported there.
//!
//! # CSV
//!
//! All rows share one header, so check it once with [`columns`] and read the rows as usual:
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use business_data_connector::{strict, types::IncomeRecord};
//!
//! let mut reader = csv::Reader::from_reader("id,amount\nINV-1,19.99\n".as_bytes());
//! strict::columns::<IncomeRecord>(reader.headers()?)?;
//! for income in reader.deserialize() {
//!     let income: IncomeRecord = income?;
//!     assert_eq!(income.amount.map(|amount| amount.to_string()).as_deref(), Some("19.99"));
//! }
//! # Ok(())
//! # }
//! ```

mod columns;
mod error;
mod json;

pub use columns::columns;
pub use error::{Error, Location, UnknownKey};
pub use json::{from_slice, from_str};
