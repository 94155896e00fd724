//! Counts what arrives.

use std::sync::atomic::{AtomicU64, Ordering};

/// What an inbox has received since it was made, for metrics. All of it is also logged.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// New callbacks, which were stored and answered 200.
    pub new: u64,
    /// Deliveries of a callback that was there already, answered 200.
    pub duplicates: u64,
    /// Requests to a path that is not that of a callback, or with a token that is not genuine, answered 404.
    pub rejected: u64,
    /// Bodies that belong to another request than their address, answered 404.
    pub contradicted: u64,
    /// Callbacks that could not be stored, answered 503.
    pub not_stored: u64,
    /// Bodies over the limit, answered 413.
    pub too_large: u64,
    /// Bodies that did not arrive in time, answered 408, or were broken off.
    pub incomplete: u64,
}

#[derive(Default)]
pub(super) struct Counters {
    pub(super) new: AtomicU64,
    pub(super) duplicates: AtomicU64,
    pub(super) rejected: AtomicU64,
    pub(super) contradicted: AtomicU64,
    pub(super) not_stored: AtomicU64,
    pub(super) too_large: AtomicU64,
    pub(super) incomplete: AtomicU64,
}

impl Counters {
    pub(super) fn read(&self) -> Counts {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Counts {
            new: read(&self.new),
            duplicates: read(&self.duplicates),
            rejected: read(&self.rejected),
            contradicted: read(&self.contradicted),
            not_stored: read(&self.not_stored),
            too_large: read(&self.too_large),
            incomplete: read(&self.incomplete),
        }
    }
}

pub(super) fn count(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}
