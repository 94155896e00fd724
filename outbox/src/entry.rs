use std::{fmt, time::SystemTime};

use crate::State;

/// A request in the outbox, and what is known of it.
///
/// `Debug` shows neither the request nor the reason, which may quote the service.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// Its number. Requests of one business are sent in the order of their numbers.
    pub number: i64,
    /// The business; `None` for an operation without a `uid`.
    pub uid: Option<String>,
    /// The `id` of the operation.
    pub operation: String,
    /// The `id` of the record, if the operation pushes one that has it.
    pub record_id: Option<String>,
    /// What is known of it.
    pub state: State,
    /// Why it is in this state: the service's own words, or what went wrong.
    pub reason: Option<String>,
    /// The request as JSON text.
    pub request: String,
    /// How often it was sent, or was about to be.
    pub attempts: u32,
    /// How often a person had it sent again.
    pub resent: u32,
    /// Whether two pulls, with quiet time between them, did not return the record.
    pub absent: bool,
    /// When the record is looked for with the next pull, if its fate is not known and it can be.
    pub next_check: Option<SystemTime>,
    /// When it was added.
    pub added: SystemTime,
    /// When it got into its state.
    pub since: SystemTime,
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry")
            .field("number", &self.number)
            .field("uid", &self.uid)
            .field("operation", &self.operation)
            .field("record_id", &self.record_id)
            .field("state", &self.state)
            .field("attempts", &self.attempts)
            .field("resent", &self.resent)
            .field("absent", &self.absent)
            .finish_non_exhaustive()
    }
}

/// A change of state, as [`Outbox::events`](crate::Outbox::events) returns it. It is committed by then.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event {
    /// The number of the request.
    pub number: i64,
    /// The business; `None` for an operation without a `uid`.
    pub uid: Option<String>,
    /// The `id` of the operation.
    pub operation: String,
    /// The `id` of the record, if it has one.
    pub record_id: Option<String>,
    /// The state that it was in.
    pub from: State,
    /// The state that it is in.
    pub to: State,
}

/// What a person decided about a request. Decisions are kept as long as the request.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Decision {
    /// The number of the request.
    pub number: i64,
    /// What was decided.
    pub kind: DecisionKind,
    /// Who decided.
    pub by: String,
    /// Why.
    pub why: String,
    /// When.
    pub at: SystemTime,
    /// The state that the request was in.
    pub from: State,
}

/// The decisions that a person can make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum DecisionKind {
    /// It is to be sent again.
    Resend,
    /// The service has it.
    Accept,
    /// It is not needed.
    Drop,
}

impl DecisionKind {
    /// The name, in lower case.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Resend => "resend",
            Self::Accept => "accept",
            Self::Drop => "drop",
        }
    }

    /// The state to which it leads.
    pub(crate) fn to(self) -> State {
        match self {
            Self::Resend => State::Queued,
            Self::Accept => State::Confirmed,
            Self::Drop => State::Dropped,
        }
    }

    /// The states about which a person can decide so. One that is under way is left alone.
    pub(crate) fn from(self) -> &'static [State] {
        match self {
            Self::Resend => &[State::Unknown, State::Unconfirmed, State::Refused, State::Parked],
            Self::Accept => &[State::Unknown, State::Unconfirmed, State::Taken],
            Self::Drop => &[State::Queued, State::Unknown, State::Unconfirmed, State::Refused, State::Parked],
        }
    }
}
