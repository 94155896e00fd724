use std::{error::Error as StdError, fmt};

use crate::State;

/// Why the outbox could not do what it was asked to.
///
/// `Display` is one line without a secret or a body.
#[derive(Debug)]
#[non_exhaustive]
pub enum OutboxError {
    /// The request cannot be enqueued, and was not: what is wrong, and what to do.
    Invalid(String),
    /// A request with the same operation, business and record `id` is in the outbox, with another content.
    Differs {
        /// The operation.
        operation: String,
        /// The `id` of the record.
        record_id: String,
    },
    /// There is no such request.
    NotFound {
        /// What was looked for.
        what: String,
    },
    /// Several requests match, of different operations.
    Ambiguous {
        /// The `id` of the record.
        record_id: String,
        /// The operations.
        operations: Vec<String>,
    },
    /// The decision is not possible in the state that the request is in.
    NotPossible {
        /// What was decided.
        decision: &'static str,
        /// The state.
        state: State,
    },
    /// Another worker has this outbox. One at a time sends from a SQLite file.
    Locked {
        /// The lock file.
        file: String,
    },
    /// The store failed.
    Store {
        /// What is wrong.
        problem: String,
        /// The cause, if there is one.
        source: Option<Box<dyn StdError + Send + Sync>>,
    },
}

impl OutboxError {
    pub(crate) fn store(problem: impl Into<String>) -> Self {
        Self::Store { problem: problem.into(), source: None }
    }

    pub(crate) fn with_source(self, cause: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        match self {
            Self::Store { problem, .. } => Self::Store { problem, source: Some(cause.into()) },
            other => other,
        }
    }

    /// Whether the request is at fault, and not the outbox: enqueueing it again ends the same way.
    pub fn is_about_the_request(&self) -> bool {
        matches!(self, Self::Invalid(_) | Self::Differs { .. })
    }
}

impl fmt::Display for OutboxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(problem) => f.write_str(problem),
            Self::Differs { operation, record_id } => write!(
                f,
                "{operation}: the outbox has another record with the id {record_id:?}; if this one is to replace it, drop \
                 that one first"
            ),
            Self::NotFound { what } => write!(f, "the outbox has no {what}"),
            Self::Ambiguous { record_id, operations } => write!(
                f,
                "the outbox has several records with the id {record_id:?}, of {}; say which with `outcome_of`",
                operations.join(" and ")
            ),
            Self::NotPossible { decision, state } => {
                write!(f, "`{decision}` is not possible for a request that is {state}")
            }
            Self::Locked { file } => write!(f, "another worker sends from this outbox: it has locked {file}"),
            Self::Store { problem, source: Some(source) } => write!(f, "{problem}: {source}"),
            Self::Store { problem, source: None } => f.write_str(problem),
        }
    }
}

impl StdError for OutboxError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            Self::Store { source: Some(source), .. } => Some(&**source),
            _ => None,
        }
    }
}
