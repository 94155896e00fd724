//! Connections, and what is read from them.

pub(crate) mod body;
pub(crate) mod connection;
pub(crate) mod guard;
mod places;
pub(crate) mod server;
