//! Classifies a reply, or the failure to get one, into `Ok(Reply)` or an [`Error`].

use crate::{Error, Operation, Reply, error::Cause};

/// How reading the body of a reply ended.
pub(crate) enum BodyEnd {
    /// All of it was read.
    Complete,
    /// It is longer than this many bytes.
    OverLimit(usize),
    /// The connection broke, or the deadline passed.
    Broken(Cause),
}

/// The status decides; the body is considered only where the status reports success.
pub(crate) fn reply(reply: Reply, end: BodyEnd) -> Result<Reply, Error> {
    let operation = reply.operation;
    match reply.status.as_u16() {
        200..=299 => match end {
            BodyEnd::Broken(source) => Err(Error::OutcomeUnknown { operation, source, reply: Some(Box::new(reply)) }),
            BodyEnd::OverLimit(limit) => Err(Error::ReplyTooLarge { reply: Box::new(reply), limit }),
            BodyEnd::Complete if reply.reports_error() => Err(Error::Refused { reply: Box::new(reply) }),
            BodyEnd::Complete => match reply.unreadable() {
                Some(problem) => Err(Error::UnreadableReply { reply: Box::new(reply), source: problem.into() }),
                None => Ok(reply),
            },
        },
        400 => Err(Error::Refused { reply: Box::new(reply) }),
        401 => Err(Error::Unauthorized { reply: Box::new(reply) }),
        _ => Err(Error::UnexpectedStatus { reply: Box::new(reply) }),
    }
}

/// A call that ended without a reply.
pub(crate) fn failure(operation: &'static Operation, sent: bool, source: Cause) -> Error {
    match sent {
        true => Error::OutcomeUnknown { operation, source, reply: None },
        false => Error::NeverSent { operation, source },
    }
}
