pub(crate) mod delivery;
pub(crate) mod payload;
