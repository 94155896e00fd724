pub(crate) mod fault;
