use std::{error::Error as StdError, fmt};

use reqwest::StatusCode;

use crate::Reply;

/// The reason that a call did not succeed.
///
/// `Display` is one line and never shows a secret, a body, or the query of an address. What the service said is in
/// [`reply`](Self::reply), what the transport reported in [`source`](StdError::source).
///
/// ```no_run
/// # async fn example(connector: business_data_connector::Connector) {
/// if let Err(error) = connector.verify_apikey().await {
///     match error.status() {
///         Some(status) => eprintln!("the service answered {status}: {error}"),
///         None => eprintln!("there was no reply: {error}"),
///     }
/// }
/// # }
/// ```
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
    /// The body of a reply is not JSON of the type asked for.
    UnreadableReply {
        /// The reply.
        reply: Box<Reply>,
        /// What is wrong with the body as JSON, and where. It does not quote the body.
        source: Cause,
    },
    /// The request was provably never sent. Retrying it is safe.
    NeverSent {
        /// The operation.
        operation: &'static str,
        /// The cause.
        source: Cause,
    },
    /// The request was sent, at least in part, and whether the service acted on it is unknown. Check what the service
    /// holds before you retry a write.
    OutcomeUnknown {
        /// The operation.
        operation: &'static str,
        /// The cause.
        source: Cause,
        /// The part of the reply that arrived, if at least its status and headers did.
        reply: Option<Box<Reply>>,
    },
}

/// What a transport failure was caused by.
pub(crate) type Cause = Box<dyn StdError + Send + Sync>;

/// The cause of a call that exceeded its timeout.
#[derive(Debug)]
pub(crate) struct TimedOut;

impl fmt::Display for TimedOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the call exceeded its timeout")
    }
}

impl StdError for TimedOut {}

impl Error {
    pub(crate) fn invalid(problem: impl Into<String>) -> Self {
        Self::Invalid { problem: problem.into() }
    }

    /// The error of a call whose earlier attempt was sent: then the call as a whole was sent, whatever this attempt did.
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
        let (Self::NeverSent { source, .. } | Self::OutcomeUnknown { source, .. }) = self else {
            return false;
        };
        source.is::<TimedOut>() || source.downcast_ref::<reqwest::Error>().is_some_and(reqwest::Error::is_timeout)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid { problem } => write!(f, "nothing was sent: {problem}"),
            Self::Refused { reply } if reply.status.is_success() => {
                write!(f, "{} was refused: {} with \"error\": true", reply.operation, Summary(reply))
            }
            Self::Refused { reply } => write!(f, "{} was refused: {}", reply.operation, Summary(reply)),
            Self::Unauthorized { reply } => {
                write!(
                    f,
                    "{} was not authorized: {}; check the apikey, appid and header key",
                    reply.operation,
                    Summary(reply)
                )
            }
            Self::UnexpectedStatus { reply } => {
                write!(f, "{} got a status that the interface does not document: {}", reply.operation, Summary(reply))
            }
            Self::ReplyTooLarge { reply, limit } => write!(
                f,
                "{} got a reply over the limit of {limit} bytes: {}; raise `reply_limit` to read it",
                reply.operation,
                Summary(reply)
            ),
            Self::UnreadableReply { reply, .. } => {
                write!(f, "{} got a reply that is not JSON of the expected type: {}", reply.operation, Summary(reply))
            }
            Self::NeverSent { operation, .. } => {
                write!(f, "{operation} was never sent{}; it is safe to retry", TimeoutNote(self))
            }
            Self::OutcomeUnknown { operation, .. } => {
                write!(
                    f,
                    "{operation} was sent and its outcome is unknown{}; the service may have acted on it",
                    TimeoutNote(self)
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
struct Summary<'a>(&'a Reply);

impl fmt::Display for Summary<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.status)?;
        match self.0.body.len() {
            0 => f.write_str(" (no content)"),
            length => write!(f, " ({}, {length} bytes)", self.0.content_type()),
        }
    }
}

struct TimeoutNote<'a>(&'a Error);

impl fmt::Display for TimeoutNote<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_timeout() { " (timed out)" } else { "" })
    }
}
