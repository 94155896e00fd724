//! What is read from the document once, when the sandbox starts.

pub(crate) mod records;
pub(crate) mod redaction;
pub(crate) mod schemas;
