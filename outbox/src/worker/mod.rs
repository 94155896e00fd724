//! Sends what is in the outbox, and follows it to its outcome.

pub(crate) mod answer;
pub(crate) mod body;
mod builder;
pub(crate) mod core;
mod crash;
pub(crate) mod decide;
pub(crate) mod found;
#[cfg(feature = "metrics")]
mod gauges;
mod run;
pub(crate) mod transport;

pub use builder::WorkerBuilder;
pub use run::Worker;
