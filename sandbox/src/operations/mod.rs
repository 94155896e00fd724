pub(crate) mod effects;
pub(crate) mod queue;
