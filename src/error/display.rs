//! One line for each error: what was wrong, and what to do.

use std::fmt;

use reqwest::StatusCode;

use super::{Error, Retry, cause};
use crate::{Effect, Reply};

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid { problem } => write!(f, "nothing was sent: {problem}"),
            Self::Refused { reply } if reply.status.is_success() => {
                write!(f, "{} was refused: {} with \"error\": true", reply.operation.id, Summary(reply))
            }
            Self::Refused { reply } => write!(f, "{} was refused: {}", reply.operation.id, Summary(reply)),
            Self::Unauthorized { reply } => {
                let (operation, summary) = (reply.operation.id, Summary(reply));
                write!(f, "{operation} was not authorized: {summary}; check the apikey, appid and header key")
            }
            Self::UnexpectedStatus { reply } => {
                let (operation, summary) = (reply.operation.id, Summary(reply));
                write!(f, "{operation} got a status that the interface does not document: {summary}")?;
                self.advise(f, reply)
            }
            Self::ReplyTooLarge { reply, limit } => {
                let (operation, summary) = (reply.operation.id, Summary(reply));
                write!(f, "{operation} got a reply over the limit of {limit} bytes: {summary}; raise `reply_limit`")?;
                check_first(f, self.retry())
            }
            Self::UnreadableReply { reply, source } => {
                write!(f, "{} got a reply that cannot be read: {}: {source}", reply.operation.id, Summary(reply))?;
                check_first(f, self.retry())
            }
            Self::NeverSent { operation, source } => match cause::misconfiguration(source) {
                Some(advice) => write!(f, "{} was never sent: {}; {advice}", operation.id, cause::text(source)),
                None => write!(f, "{} was never sent{}; it is safe to retry", operation.id, self.timeout_note()),
            },
            Self::OutcomeUnknown { operation, .. } => {
                let note = self.timeout_note();
                write!(f, "{} was sent and its outcome is unknown{note}", operation.id)?;
                match operation.effect {
                    Effect::Write => f.write_str("; the service may have acted on it"),
                    Effect::Read => f.write_str("; it is safe to retry"),
                }
            }
        }
    }
}

impl Error {
    fn timeout_note(&self) -> &'static str {
        if self.is_timeout() { " (timed out)" } else { "" }
    }

    /// What to do about a status that the interface does not document.
    fn advise(&self, f: &mut fmt::Formatter<'_>, reply: &Reply) -> fmt::Result {
        match (self.retry(), reply.status) {
            (Retry::After(delay), _) => write!(f, "; it is safe to retry after {} s", delay.as_secs()),
            (Retry::Never, status) if status.is_redirection() => {
                f.write_str("; redirects are not followed: check the base URL")
            }
            (Retry::Never, StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED) => {
                f.write_str("; check the base URL")
            }
            (Retry::Never, StatusCode::PAYLOAD_TOO_LARGE) => f.write_str("; send fewer records at a time"),
            (retry, _) => check_first(f, retry),
        }
    }
}

fn check_first(f: &mut fmt::Formatter<'_>, retry: Retry) -> fmt::Result {
    match retry {
        Retry::CheckFirst => f.write_str("; the service may have acted on it"),
        _ => Ok(()),
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
