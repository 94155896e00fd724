//! Callbacks: which a request gets, what they hold, and how they are delivered.

pub(crate) mod delivery;
mod payload;
pub(crate) mod schedule;
pub(crate) mod webhook;
