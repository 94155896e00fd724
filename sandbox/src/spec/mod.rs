pub(crate) mod records;
pub(crate) mod redaction;
pub(crate) mod schemas;
