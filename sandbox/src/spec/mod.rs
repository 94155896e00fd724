//! What is read from the document once, when the sandbox starts.

pub(crate) mod member;
mod mistakes;
mod outline;
pub(crate) mod records;
pub(crate) mod redaction;
pub(crate) mod schemas;
mod shape;
