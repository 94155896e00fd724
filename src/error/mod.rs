//! The one error type of the crate.

mod cause;
mod display;
mod retry;

use std::error::Error as StdError;

use reqwest::StatusCode;

pub(crate) use cause::{Cause, TimedOut, text as cause_text};
pub use retry::Retry;

use crate::{Operation, Reply};

/// The reason that a call did not succeed.
///
/// `Display` is one line and never shows a secret, a body, or the query of an address. What the service said is in
/// [`reply`](Self::reply), what the transport reported in [`source`](StdError::source).
///
/// What to do about an error is decided by [`retry`](Self::retry), whatever its variant. For every fault that the
/// sandbox injects (its README describes them), and for three mistakes in the configuration:
///
/// <!-- faults: checked by tests/fault_table.rs -->
///
/// | what goes wrong | a write gets | a read gets |
/// | --- | --- | --- |
/// | the fault `429` | `UnexpectedStatus`, `After(1 s)` | `UnexpectedStatus`, `After(1 s)` |
/// | the fault `429=SECONDS` | `UnexpectedStatus`, `After(7 s)` | `UnexpectedStatus`, `After(7 s)` |
/// | the fault `500` | `UnexpectedStatus`, `CheckFirst` | `UnexpectedStatus`, `After(1 s)` |
/// | the fault `502` | `UnexpectedStatus`, `CheckFirst` | `UnexpectedStatus`, `After(1 s)` |
/// | the fault `503` | `UnexpectedStatus`, `After(1 s)` | `UnexpectedStatus`, `After(1 s)` |
/// | the fault `503=SECONDS` | `UnexpectedStatus`, `After(7 s)` | `UnexpectedStatus`, `After(7 s)` |
/// | the fault `504` | `UnexpectedStatus`, `CheckFirst` | `UnexpectedStatus`, `After(1 s)` |
/// | the fault `500-after` | `UnexpectedStatus`, `CheckFirst` | `UnexpectedStatus`, `After(1 s)` |
/// | the fault `502-after` | `UnexpectedStatus`, `CheckFirst` | `UnexpectedStatus`, `After(1 s)` |
/// | the fault `504-after` | `UnexpectedStatus`, `CheckFirst` | `UnexpectedStatus`, `After(1 s)` |
/// | the fault `error-true` | `Refused`, `Never` | `Refused`, `Never` |
/// | the fault `401` | `Unauthorized`, `Never` | `Unauthorized`, `Never` |
/// | the fault `reset-before` | `OutcomeUnknown`, `CheckFirst` | `OutcomeUnknown`, `Now` |
/// | the fault `reset-after` | `OutcomeUnknown`, `CheckFirst` | `OutcomeUnknown`, `Now` |
/// | the fault `cut` | `OutcomeUnknown`, `CheckFirst` | `OutcomeUnknown`, `Now` |
/// | the base URL has a wrong path | `UnexpectedStatus`, `Never` | `UnexpectedStatus`, `Never` |
/// | nobody listens at the base URL | `NeverSent`, `Now` | `NeverSent`, `Now` |
/// | the base URL is https, its port speaks http | `NeverSent`, `Never` | `NeverSent`, `Never` |
///
/// <!-- faults end -->
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The connector's configuration or the request is invalid. Nothing was sent.
    Invalid {
        /// What is wrong and how to correct it.
        problem: String,
    },
    /// The service refused the request: with 400 (specified), or with a success status and `"error": true` in the body
    /// (observed).
    Refused {
        /// The reply.
        reply: Box<Reply>,
    },
    /// The service did not accept the credentials: 401 (specified).
    Unauthorized {
        /// The reply.
        reply: Box<Reply>,
    },
    /// The service, or a gateway in front of it, answered with a status that the interface does not document.
    UnexpectedStatus {
        /// The reply.
        reply: Box<Reply>,
    },
    /// The service reported success, but the body exceeded the limit, so an `"error": true` beyond it may have been
    /// missed.
    ReplyTooLarge {
        /// The reply, with the body up to the limit.
        reply: Box<Reply>,
        /// The limit, in bytes.
        limit: usize,
    },
    /// The body of a reply cannot be read. Either the service reported success with a body that is compressed, HTML, or
    /// declared as JSON without being it, which is not what the service itself answers; or [`Reply::json`] was asked
    /// for another type.
    UnreadableReply {
        /// The reply.
        reply: Box<Reply>,
        /// What is wrong with the body, and where. It does not quote the body.
        source: Cause,
    },
    /// The request was provably never sent. Retrying it is safe, and useful unless the configuration is at fault.
    NeverSent {
        /// The operation.
        operation: &'static Operation,
        /// The cause.
        source: Cause,
    },
    /// The request was sent, at least in part, and whether the service acted on it is unknown. Check what the service
    /// holds before you retry a write.
    OutcomeUnknown {
        /// The operation.
        operation: &'static Operation,
        /// The cause.
        source: Cause,
        /// The part of the reply that arrived, if at least its status and headers did.
        reply: Option<Box<Reply>>,
    },
}

impl Error {
    pub(crate) fn invalid(problem: impl Into<String>) -> Self {
        Self::Invalid { problem: problem.into() }
    }

    /// The error of a call whose earlier attempt was sent: then the call as a whole was sent, whatever this attempt
    /// did.
    pub(crate) fn after_a_sent_attempt(self) -> Self {
        match self {
            Self::NeverSent { operation, source } => Self::OutcomeUnknown { operation, source, reply: None },
            other => other,
        }
    }

    /// The reply of the service, if one arrived.
    pub fn reply(&self) -> Option<&Reply> {
        match self {
            Self::Refused { reply }
            | Self::Unauthorized { reply }
            | Self::UnexpectedStatus { reply }
            | Self::ReplyTooLarge { reply, .. }
            | Self::UnreadableReply { reply, .. } => Some(reply),
            Self::OutcomeUnknown { reply, .. } => reply.as_deref(),
            Self::Invalid { .. } | Self::NeverSent { .. } => None,
        }
    }

    /// The status of the reply, if one arrived.
    pub fn status(&self) -> Option<StatusCode> {
        self.reply().map(Reply::status)
    }

    /// The reason in the service's own words, if the reply has one (observed, not specified).
    pub fn message(&self) -> Option<String> {
        self.reply().and_then(Reply::message)
    }

    /// Returns `true` if nothing was sent because the connector's configuration or the request is invalid.
    pub fn is_invalid(&self) -> bool {
        matches!(self, Self::Invalid { .. })
    }

    /// Returns `true` if the service refused the request.
    pub fn is_refused(&self) -> bool {
        matches!(self, Self::Refused { .. })
    }

    /// Returns `true` if the service did not accept the credentials.
    pub fn is_unauthorized(&self) -> bool {
        matches!(self, Self::Unauthorized { .. })
    }

    /// Returns `true` if the service answered 429. The interface documents no limits.
    pub fn is_rate_limited(&self) -> bool {
        self.status() == Some(StatusCode::TOO_MANY_REQUESTS)
    }

    /// Returns `true` if the service, or a gateway in front of it, answered with a status from 500 to 599.
    pub fn is_server_error(&self) -> bool {
        self.status().is_some_and(|status| status.is_server_error())
    }

    /// Returns `true` if the request was provably never sent.
    pub fn is_never_sent(&self) -> bool {
        matches!(self, Self::NeverSent { .. })
    }

    /// Returns `true` if the request was sent and its outcome is unknown.
    pub fn is_outcome_unknown(&self) -> bool {
        matches!(self, Self::OutcomeUnknown { .. })
    }

    /// Returns `true` if the call exceeded its timeout, or the connection could not be made in time.
    pub fn is_timeout(&self) -> bool {
        match self {
            Self::NeverSent { source, .. } | Self::OutcomeUnknown { source, .. } => cause::is_timeout(source),
            _ => false,
        }
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            Self::UnreadableReply { source, .. }
            | Self::NeverSent { source, .. }
            | Self::OutcomeUnknown { source, .. } => Some(&**source),
            _ => None,
        }
    }
}
