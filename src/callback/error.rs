//! Why a callback could not be verified.

use std::{error::Error as StdError, fmt};

use super::received::Callback;

/// Why [`verify`](super::CallbackEndpoint::verify) did not accept what was received.
///
/// `Display` is one line, without any part of the address or the body.
#[derive(Debug)]
#[non_exhaustive]
pub enum CallbackError {
    /// The path does not end in a token: it is not the path of a callback's address.
    Foreign,
    /// The token is not one of this library, or something was added to it.
    Malformed,
    /// The end of the token is missing: something on its way has room for a shorter address only.
    Cut,
    /// The key that signed the token is not in the ring.
    UnknownKey {
        /// The identifier of the key.
        id: u8,
    },
    /// The token was not signed by the key that it names: it was changed, or made up.
    Altered,
    /// The callback is genuine, and arrived after its address had [expired](super::CallbackEndpoint::lifetime). Whether
    /// it is still useful is for the application to decide; an `Inbox` (feature `inbox`) accepts it.
    Expired {
        /// The callback.
        callback: Box<Callback>,
    },
    /// The address is genuine, and the body says that it belongs to another request: its `received` names another uid,
    /// another operation, or another address. It may have been replayed.
    Contradicted {
        /// The member of `received` that differs: `uid`, `type` or `webhook`.
        member: &'static str,
        /// The callback. Do not use it as the answer to its request.
        callback: Box<Callback>,
    },
}

impl CallbackError {
    /// The callback, if it is genuine and only late.
    pub fn into_expired(self) -> Option<Callback> {
        match self {
            Self::Expired { callback } => Some(*callback),
            _ => None,
        }
    }

    /// A word for counters and logs.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Foreign => "foreign",
            Self::Malformed => "malformed",
            Self::Cut => "cut",
            Self::UnknownKey { .. } => "unknown key",
            Self::Altered => "altered",
            Self::Expired { .. } => "expired",
            Self::Contradicted { .. } => "contradicted",
        }
    }
}

impl fmt::Display for CallbackError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Foreign => f.write_str("the path is not that of a callback: it does not end in a token"),
            Self::Malformed => f.write_str("the token in the path has a form that this library does not write"),
            Self::Cut => f.write_str(
                "the token in the path is cut off; does something between the service and this server shorten addresses?",
            ),
            Self::UnknownKey { id } => {
                write!(f, "the token was signed by callback key {id}, which is not in the ring; add it to accept it")
            }
            Self::Altered => f.write_str("the token in the path was not signed by its key: it was changed or made up"),
            Self::Expired { callback } => {
                write!(f, "the callback of {} is genuine, but its address has expired", callback.operation_id())
            }
            Self::Contradicted { member, callback } => write!(
                f,
                "the address is that of {}, but `received.{member}` in the body names another request",
                callback.operation_id()
            ),
        }
    }
}

impl StdError for CallbackError {}
