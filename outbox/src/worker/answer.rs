//! What a call says about the requests in it.

use std::time::Duration;

use business_data_connector::{Error, Reply, Retry};

/// How a call ended, reduced to what a worker decides by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The service answered 200.
    Taken,
    /// The service refused the request.
    Refused(String),
    /// The request or the configuration is invalid, and nothing was sent.
    Invalid(String),
    /// The service did not accept the credentials.
    Unauthorized(String),
    /// The service asks to wait, and did nothing.
    Wait(Duration, String),
    /// The request was provably never sent.
    NeverSent(String),
    /// The same, because of the configuration of the connector.
    Misconfigured(String),
    /// Something answered that is not the service, such as with 404.
    NotTheService(String),
    /// Nobody knows whether the service took the request.
    Unknown(String),
}

impl Answer {
    /// The kind, for logs: the rest may quote the service.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Taken => "taken",
            Self::Refused(_) => "refused",
            Self::Invalid(_) => "invalid",
            Self::Unauthorized(_) => "unauthorized",
            Self::Wait(..) => "wait",
            Self::NeverSent(_) => "never sent",
            Self::Misconfigured(_) => "misconfigured",
            Self::NotTheService(_) => "not the service",
            Self::Unknown(_) => "unknown",
        }
    }

    /// Reads the result of a call.
    pub fn of(result: Result<Reply, Error>) -> Self {
        let error = match result {
            Ok(_) => return Self::Taken,
            Err(error) => error,
        };
        let why = || match error.message() {
            Some(message) => format!("{error}: {}", shortened(&message)),
            None => error.to_string(),
        };
        match (&error, error.retry()) {
            (Error::Invalid { problem }, _) => Self::Invalid(problem.clone()),
            (Error::Refused { .. }, _) => Self::Refused(why()),
            (Error::Unauthorized { .. }, _) => Self::Unauthorized(why()),
            (_, Retry::After(delay)) => Self::Wait(delay, why()),
            (Error::NeverSent { .. }, Retry::Now) => Self::NeverSent(why()),
            (Error::NeverSent { .. }, _) => Self::Misconfigured(why()),
            (Error::UnexpectedStatus { .. }, Retry::Never) => Self::NotTheService(why()),
            _ => Self::Unknown(why()),
        }
    }
}

/// At most this many characters of what the service says are kept.
const LONGEST: usize = 500;

pub(crate) fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}
