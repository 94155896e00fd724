//! From what arrived to what the caller is told.

use crate::{
    Error, Reply,
    error::{Cause, DeadlineExpired},
};

/// How the reading of a body ended.
pub(crate) enum End {
    /// All of it was read.
    Complete,
    /// It is longer than this many bytes.
    OverLimit(usize),
    /// It broke off, or the deadline came first.
    Broken(Cause),
}

/// The status decides the class of an answer; a body only where the status says success.
pub(crate) fn of_reply(reply: Reply, end: End) -> Result<Reply, Error> {
    let operation = reply.operation;
    match reply.status.as_u16() {
        200..=299 => match end {
            End::Broken(source) => Err(Error::OutcomeUnknown { operation, source, reply: Some(Box::new(reply)) }),
            End::OverLimit(limit) => Err(Error::ReplyTooLarge { reply: Box::new(reply), limit }),
            End::Complete if reply.reports_error() => Err(Error::Refused { reply: Box::new(reply) }),
            End::Complete => Ok(reply),
        },
        400 => Err(Error::Refused { reply: Box::new(reply) }),
        401 => Err(Error::Unauthorized { reply: Box::new(reply) }),
        _ => Err(Error::UnexpectedStatus { reply: Box::new(reply) }),
    }
}

/// A call that ended without an answer.
pub(crate) fn of_failure(operation: &'static str, departed: bool, source: Cause) -> Error {
    match departed {
        true => Error::OutcomeUnknown { operation, source, reply: None },
        false => Error::NeverSent { operation, source },
    }
}

/// A call that its deadline ended.
pub(crate) fn of_deadline(operation: &'static str, departed: bool) -> Error {
    of_failure(operation, departed, Box::new(DeadlineExpired))
}
