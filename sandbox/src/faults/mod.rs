//! Faults on request: what can go wrong between a client and such a service.

mod fault;
mod response;
mod rules;

pub use fault::Fault;
pub use rules::FaultRule;
pub(crate) use rules::{ActiveRule, FaultRules, requested};
