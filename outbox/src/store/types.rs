//! The arguments and results of a store.

use std::{collections::HashSet, fmt, sync::Arc, time::Duration};

use business_data_connector::{Operation, callback::CallbackId};

use crate::{OutboxError, State, record::Staged, time::Millis};

/// What became of a request that was to be added.
#[derive(Debug)]
pub enum Added {
    /// It was added under this number.
    New(i64),
    /// The same request is there already.
    There,
    /// Another request with its key is there.
    Differs(Staged),
}

/// The address for the callbacks of a request, and its signature.
#[derive(Clone)]
pub struct Address {
    /// The identifier, which is stored; the address is not.
    pub id: CallbackId,
    /// The `webhook`.
    pub url: String,
    /// The `signature`.
    pub signature: String,
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Address").field("id", &format_args!("{}", self.id)).finish_non_exhaustive()
    }
}

/// Makes an address for a request of an operation.
pub type Addresses = Arc<dyn Fn(&'static Operation, Option<&str>) -> Result<Address, OutboxError> + Send + Sync>;

/// How much travels in one batch.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// The number of records.
    pub records: usize,
    /// The bytes of their requests.
    pub bytes: usize,
}

/// Asks for the next batch.
#[derive(Clone)]
pub struct Claim {
    /// How much it may have.
    pub limits: Limits,
    /// Makes its address.
    pub addresses: Addresses,
    /// How long it belongs to this worker, in a store that several share.
    #[cfg_attr(not(feature = "postgres"), allow(dead_code, reason = "a file has one worker"))]
    pub lease: Duration,
}

/// Requests that are marked as sending, and are to be sent as one.
#[derive(Debug)]
pub struct Batch {
    /// Where its callbacks go.
    pub address: Address,
    /// The business; empty for an operation without a `uid`.
    pub uid: String,
    /// The operation that is called: that of the request, or the one in which it travels with others.
    pub operation: &'static Operation,
    /// Whether it travels with others.
    pub together: bool,
    /// The requests, in their order.
    pub rows: Vec<Row>,
    /// How often in a row requests of this business could not be sent.
    pub failures: u32,
}

/// A request of a batch.
pub struct Row {
    /// Its number.
    pub number: i64,
    /// The field of the batch's `data` in which it travels.
    pub member: Option<&'static str>,
    /// The request as JSON text.
    pub request: String,
}

impl fmt::Debug for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Row").field("number", &self.number).finish_non_exhaustive()
    }
}

/// What became of a batch.
#[derive(Debug, Clone)]
pub struct Settlement {
    /// The batch.
    pub send: CallbackId,
    /// Its business.
    pub uid: String,
    /// What is known of it.
    pub verdict: Verdict,
}

/// What follows from the answer to a batch.
#[derive(Debug, Clone)]
pub struct Verdict {
    /// The state of its requests, unless a callback was there first.
    pub state: State,
    /// Why.
    pub reason: Option<String>,
    /// When to look for the records, if that is possible.
    pub check_at: Option<Millis>,
    /// Whether each of its requests is to be sent on its own from now on.
    pub alone: bool,
    /// After how many attempts a request that is queued again is parked instead.
    pub attempts: Option<u32>,
    /// When the next request of the business may be sent.
    pub not_before: Option<Millis>,
    /// Stops everything.
    pub pause: Option<NewPause>,
}

/// A pause that begins.
#[derive(Debug, Clone)]
pub struct NewPause {
    /// When it ends by itself; `None` if a person has to end it.
    pub until: Option<Millis>,
    /// Why.
    pub reason: String,
}

/// A callback that arrived.
#[derive(Debug, Clone)]
pub struct Arrival {
    /// The identifier of its address.
    pub send: CallbackId,
    /// Whether the service reports a failure.
    pub failed: bool,
    /// Its own words.
    pub message: Option<String>,
    /// For a pull: the identifiers of all that was returned.
    pub found: Option<HashSet<String>>,
    /// For a pull: when to look again for what was not returned the first time.
    pub check_at: Millis,
    /// For a pull: whether what was not returned twice is queued again.
    pub resend_absent: bool,
}

/// Whether a callback belongs to a request of the outbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Applied {
    /// It does.
    Known,
    /// It does not.
    Foreign,
}

/// What time alone does.
#[derive(Debug, Clone)]
pub struct Maintenance {
    /// When a request that is taken becomes unconfirmed.
    pub unconfirmed_after: Duration,
    /// How long requests are kept in a state; those in other states are kept.
    pub keep: Vec<(State, Duration)>,
    /// How many are treated at once.
    pub limit: usize,
}

/// A pull that is to be sent.
#[derive(Debug)]
pub struct Check {
    /// Where its callback goes.
    pub address: Address,
    /// The business.
    pub uid: String,
    /// The operation that pulls.
    pub operation: &'static Operation,
}
