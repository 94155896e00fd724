//! Why a call has no final callback.

use std::{error::Error as StdError, fmt, time::Duration};

use super::{arrival::Received, put::UploadError, store::StoreError};
use crate::{Error, Reply, callback::Callback};

/// Why awaiting a callback did not end with a successful one.
///
/// `Display` is one line without a secret or a body. What the service said is in [`message`](Self::message).
#[derive(Debug)]
#[non_exhaustive]
pub enum AwaitError {
    /// The request was refused, or never sent, or is invalid: there is no callback to wait for. What to do is decided
    /// by [`Error::retry`].
    Call(Box<Error>),
    /// No final callback arrived in time. It may still come: it is then in
    /// [`Inbox::callbacks`](super::Inbox::callbacks).
    NoCallback {
        /// How long was waited after the call had ended.
        waited: Duration,
        /// The reply, if the service accepted the request: it was sent, and queued.
        reply: Option<Box<Reply>>,
        /// The error of the call, if it is unknown whether the service accepted the request.
        call: Option<Box<Error>>,
        /// The interim callbacks that arrived.
        interim: Vec<Callback>,
    },
    /// The service reports in its callback that it could not do what was requested.
    Failed(Box<Received>),
    /// The file could not be uploaded, or the service gave no address for it. The request that names it was not sent.
    Upload(Box<UploadError>),
    /// The store of the inbox failed while waiting. A callback that arrived is not lost.
    Store(StoreError),
}

impl AwaitError {
    /// The service's own words, from its callback or its reply (observed).
    pub fn message(&self) -> Option<String> {
        match self {
            Self::Call(error) => error.message(),
            Self::NoCallback { call, .. } => call.as_ref().and_then(|error| error.message()),
            Self::Failed(received) => received.callback().message().map(str::to_owned),
            Self::Upload(_) | Self::Store(_) => None,
        }
    }

    /// The error of the call, if it failed.
    pub fn call(&self) -> Option<&Error> {
        match self {
            Self::Call(error) => Some(error),
            Self::NoCallback { call, .. } => call.as_deref(),
            Self::Failed(_) | Self::Upload(_) | Self::Store(_) => None,
        }
    }

    /// Whether the request may have reached the service.
    pub fn may_have_been_sent(&self) -> bool {
        match self {
            Self::Call(error) => !error.is_invalid() && !error.is_never_sent(),
            Self::Upload(_) => false,
            _ => true,
        }
    }

    /// Whether no callback arrived in time.
    pub fn is_no_callback(&self) -> bool {
        matches!(self, Self::NoCallback { .. })
    }
}

impl fmt::Display for AwaitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Call(error) => error.fmt(f),
            Self::NoCallback { waited, call: None, reply: Some(reply), .. } => {
                let operation = reply.operation().id;
                write!(f, "{operation} was accepted, but no callback arrived within {waited:?}; it may still come")
            }
            Self::NoCallback { waited, call: Some(error), .. } => {
                write!(f, "no callback arrived within {waited:?} either after: {error}")
            }
            Self::NoCallback { waited, .. } => write!(f, "no callback arrived within {waited:?}; it may still come"),
            Self::Failed(received) => write!(
                f,
                "the service reports that {} failed; its callback may say why",
                received.callback().operation_id()
            ),
            Self::Upload(error) => error.fmt(f),
            Self::Store(error) => error.fmt(f),
        }
    }
}

impl StdError for AwaitError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        match self {
            Self::Call(error) => error.source(),
            Self::NoCallback { call, .. } => call.as_ref().map(|error| &**error as _),
            Self::Failed(_) => None,
            Self::Upload(error) => error.source(),
            Self::Store(error) => error.source(),
        }
    }
}

impl From<Error> for AwaitError {
    fn from(error: Error) -> Self {
        Self::Call(Box::new(error))
    }
}

impl From<StoreError> for AwaitError {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<Box<UploadError>> for AwaitError {
    fn from(error: Box<UploadError>) -> Self {
        Self::Upload(error)
    }
}
