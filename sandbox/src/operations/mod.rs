//! What operations do, and when.

pub(crate) mod effects;
pub(crate) mod queue;
