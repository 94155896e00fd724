//! Exact decimal numbers, and how they are read and written in any serde format.

mod arithmetic;
mod convert;
mod digits;
mod format;
mod number;
mod parse;
mod read;
mod verbatim;
mod write;

pub use convert::IntoDecimal;
pub(crate) use format::is_json;
pub use number::Decimal;
pub use parse::DecimalError;
