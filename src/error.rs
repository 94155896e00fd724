use std::{error::Error as StdError, fmt};

use reqwest::StatusCode;

use crate::Reply;

/// Why a call did not succeed.
///
/// `Display` is one line, and never shows a secret, a body, or the query of an address. What the service said is in
/// [`reply`](Self::reply), what the transport said in [`source`](StdError::source).
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The connector is not set up, or the request not built, so that it could be sent. Nothing was sent.
    Invalid {
        /// What is wrong and what to do.
        problem: String,
    },
    /// The service refused the request: 400 (specified), or a success with `"error": true` in its body (observed).
    Refused {
        /// What it answered.
        reply: Box<Reply>,
    },
    /// The service did not accept the credentials: 401.
    Unauthorized {
        /// What it answered.
        reply: Box<Reply>,
    },
    /// The service answered with a status that the interface does not name.
    UnexpectedStatus {
        /// What it answered.
        reply: Box<Reply>,
    },
    /// The service answered with success, and a body over the limit, which may say that it was none.
    ReplyTooLarge {
        /// What it answered, with the body up to the limit.
        reply: Box<Reply>,
        /// The limit, in bytes.
        limit: usize,
    },
    /// The body of a reply is not the JSON that was asked for.
    UnreadableReply {
        /// What the service answered.
        reply: Box<Reply>,
        /// What is wrong with it as JSON, and where; what it holds is not repeated.
        source: Cause,
    },
    /// The request provably never left: it may be repeated.
    NeverSent {
        /// The operation.
        operation: &'static str,
        /// Why.
        source: Cause,
    },
    /// The request left, wholly or in part, and whether the service acted on it is not known. Ask before repeating a
    /// write.
    OutcomeUnknown {
        /// The operation.
        operation: &'static str,
        /// Why.
        source: Cause,
        /// What arrived of the answer, if its head did.
        reply: Option<Box<Reply>>,
    },
}

/// What went wrong on the way.
pub(crate) type Cause = Box<dyn StdError + Send + Sync>;

/// The cause of a call that took longer than its deadline.
#[derive(Debug)]
pub(crate) struct DeadlineExpired;

impl fmt::Display for DeadlineExpired {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the deadline of the call expired")
    }
}

impl StdError for DeadlineExpired {}

impl Error {
    pub(crate) fn invalid(problem: impl Into<String>) -> Self {
        Self::Invalid { problem: problem.into() }
    }

    /// The same, for an attempt that came after one that did leave: then the call as a whole was sent.
    pub(crate) fn after_one_that_left(self) -> Self {
        match self {
            Self::NeverSent { operation, source } => Self::OutcomeUnknown { operation, source, reply: None },
            other => other,
        }
    }

    /// What the service answered, if anything arrived.
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

    /// The status of the answer, if one arrived.
    pub fn status(&self) -> Option<StatusCode> {
        self.reply().map(Reply::status)
    }

    /// The reason in the service's words, if its answer had one (observed, not specified).
    pub fn message(&self) -> Option<String> {
        self.reply().and_then(Reply::message)
    }

    /// Whether nothing was sent because of how the connector is set up or the request built.
    pub fn is_invalid(&self) -> bool {
        matches!(self, Self::Invalid { .. })
    }

    /// Whether the service refused the request.
    pub fn is_refused(&self) -> bool {
        matches!(self, Self::Refused { .. })
    }

    /// Whether the service did not accept the credentials.
    pub fn is_unauthorized(&self) -> bool {
        matches!(self, Self::Unauthorized { .. })
    }

    /// Whether the service answered 429. The interface names no limits; `Retry-After` is in the reply's headers, if sent.
    pub fn is_rate_limited(&self) -> bool {
        self.status() == Some(StatusCode::TOO_MANY_REQUESTS)
    }

    /// Whether the service, or a gateway before it, answered 500 to 599.
    pub fn is_server_error(&self) -> bool {
        self.status().is_some_and(|status| status.is_server_error())
    }

    /// Whether the request provably never left.
    pub fn is_never_sent(&self) -> bool {
        matches!(self, Self::NeverSent { .. })
    }

    /// Whether the request left and its outcome is not known.
    pub fn is_outcome_unknown(&self) -> bool {
        matches!(self, Self::OutcomeUnknown { .. })
    }

    /// Whether it took too long: the deadline of the call, or the time for a connection.
    pub fn is_timeout(&self) -> bool {
        let (Self::NeverSent { source, .. } | Self::OutcomeUnknown { source, .. }) = self else {
            return false;
        };
        source.is::<DeadlineExpired>()
            || source.downcast_ref::<reqwest::Error>().is_some_and(reqwest::Error::is_timeout)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid { problem } => write!(f, "nothing was sent: {problem}"),
            Self::Refused { reply } if reply.status.is_success() => {
                write!(f, "{} was refused: {} with \"error\": true", reply.operation, Answer(reply))
            }
            Self::Refused { reply } => write!(f, "{} was refused: {}", reply.operation, Answer(reply)),
            Self::Unauthorized { reply } => {
                write!(
                    f,
                    "{} was not authorised: {}; check apikey, appid and header key",
                    reply.operation,
                    Answer(reply)
                )
            }
            Self::UnexpectedStatus { reply } => {
                write!(f, "{} got a status that the interface does not name: {}", reply.operation, Answer(reply))
            }
            Self::ReplyTooLarge { reply, limit } => write!(
                f,
                "{} got a reply over the limit of {limit} bytes: {}; raise `reply_limit` to read what it says",
                reply.operation,
                Answer(reply)
            ),
            Self::UnreadableReply { reply, .. } => {
                write!(f, "{} got a reply that is not the JSON asked for: {}", reply.operation, Answer(reply))
            }
            Self::NeverSent { operation, .. } => {
                write!(f, "{operation} was never sent{}; it may be repeated", Late(self))
            }
            Self::OutcomeUnknown { operation, .. } => {
                write!(
                    f,
                    "{operation} was sent and its outcome is unknown{}; the service may have acted on it",
                    Late(self)
                )
            }
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

/// `400 Bad Request (text/html, 152 bytes)`.
struct Answer<'a>(&'a Reply);

impl fmt::Display for Answer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.status)?;
        match self.0.body.len() {
            0 => f.write_str(" (no content)"),
            length => write!(f, " ({}, {length} bytes)", self.0.content_type()),
        }
    }
}

struct Late<'a>(&'a Error);

impl fmt::Display for Late<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_timeout() { " (it took too long)" } else { "" })
    }
}
