pub(crate) mod body;
pub(crate) mod connection;
pub(crate) mod server;
