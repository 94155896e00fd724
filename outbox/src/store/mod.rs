//! What a worker and the handle ask of a database. Each method is one transaction.

pub(crate) mod batch;
#[cfg(feature = "postgres")]
pub(crate) mod postgres;
#[cfg(feature = "sqlite")]
pub(crate) mod sqlite;
mod types;

use std::{future::Future, pin::Pin};

#[cfg(feature = "testing")]
pub use types::Row;
pub use types::{
    Added, Address, Addresses, Applied, Arrival, Batch, Check, Claim, Limits, Maintenance, NewPause, Settlement,
    Verdict,
};

use crate::{
    Counts, Decision, Entry, Event, OutboxError, Pause, State, entry::DecisionKind, record::Staged, time::Millis,
};

/// What a method of a [`Store`] returns.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, OutboxError>> + Send + 'a>>;

/// A database with the tables of the outbox.
///
/// Only [`advance`](Self::advance) marks a request as sending, and what it returns is committed by then.
///
/// `now` is the time of the caller, and so are the times that are passed with it. A store that several workers share
/// has a clock of its own, and moves them by the difference.
pub trait Store: Send + Sync + 'static {
    /// Whether several workers may send from it at the same time. Each batch belongs to one of them until its lease
    /// ends, and [`recover`](Self::recover) is called again and again.
    fn is_shared(&self) -> bool {
        false
    }

    /// Adds requests. The result has one element for each.
    fn add(&self, records: Vec<Staged>) -> StoreFuture<'_, Vec<Added>>;

    /// Stores what became of a batch, claims the next one, or both, in one transaction.
    fn advance(
        &self,
        now: Millis,
        settled: Option<Settlement>,
        claim: Option<Claim>,
    ) -> StoreFuture<'_, (Vec<Event>, Option<Batch>)>;

    /// Applies a callback.
    fn arrived(&self, now: Millis, arrival: Arrival) -> StoreFuture<'_, (Vec<Event>, Applied)>;

    /// What a process left that ended while it was sending: nobody knows what became of it, so it is checked at
    /// `check_at` where that is possible. In a store that is shared, what has a lease is left alone.
    fn recover(&self, now: Millis, check_at: Millis) -> StoreFuture<'_, Vec<Event>>;

    /// What time alone does: taken requests become unconfirmed, and old ones are removed.
    fn maintain(&self, now: Millis, maintenance: Maintenance) -> StoreFuture<'_, Vec<Event>>;

    /// Begins to look for the records of a business whose fate is not known, if there are any that are due. They are
    /// due again at `again`, unless the answer comes first.
    fn begin_check(&self, now: Millis, again: Millis, addresses: Addresses) -> StoreFuture<'_, Option<Check>>;

    /// Lets a person decide about a request.
    fn decide(&self, now: Millis, number: i64, kind: DecisionKind, by: String, why: String) -> StoreFuture<'_, Event>;

    /// Pauses a business, or everything (`None`).
    fn pause(&self, now: Millis, uid: Option<String>, pause: NewPause) -> StoreFuture<'_, ()>;

    /// Ends a pause. `false` if there was none.
    fn resume(&self, uid: Option<String>) -> StoreFuture<'_, bool>;

    /// The pauses.
    fn pauses(&self) -> StoreFuture<'_, Vec<Pause>>;

    /// How many requests there are in each state, and since when the oldest is in it.
    fn counts(&self) -> StoreFuture<'_, Counts>;

    /// The request with this number.
    fn entry(&self, number: i64) -> StoreFuture<'_, Option<Entry>>;

    /// The requests with the record `id` of a business, newest first.
    fn find(&self, uid: String, record_id: String) -> StoreFuture<'_, Vec<Entry>>;

    /// The first `limit` requests with a number above `after`, in the order of their numbers.
    fn entries(&self, state: Option<State>, after: i64, limit: usize) -> StoreFuture<'_, Vec<Entry>>;

    /// The decisions about a request, oldest first.
    fn decisions(&self, number: i64) -> StoreFuture<'_, Vec<Decision>>;
}
