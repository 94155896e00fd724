use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

use crate::error::Error;

/// Something that goes wrong on request, so that a client's handling of it can be tested.
///
/// A request asks for a fault in its notes (`sandbox:latency=500`) or in the header `X-Sandbox-Fault`; a [`FaultRule`]
/// injects one into the next requests. [`Fault::SYNTAX`] lists how each is written.
///
/// ```
/// use business_data_connector_sandbox::Fault;
///
/// assert_eq!("429=7".parse::<Fault>()?, Fault::TooManyRequests(7));
/// assert_eq!(Fault::Latency(500).to_string(), "latency=500");
/// assert!("nonsense".parse::<Fault>().is_err());
/// # Ok::<(), business_data_connector_sandbox::Error>(())
/// ```
///
/// [`FaultRule`]: crate::FaultRule
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
#[non_exhaustive]
pub enum Fault {
    /// `latency=MS`: the reply is delayed by this many milliseconds.
    Latency(u64),
    /// `429` or `429=SECONDS`: too many requests, with `Retry-After`; nothing is stored.
    TooManyRequests(u64),
    /// `503` or `503=SECONDS`: service unavailable, with `Retry-After`; nothing is stored.
    Unavailable(u64),
    /// `500`, `502`, `504`: the last two with HTML, as gateways send it; nothing is stored.
    Status(u16),
    /// `500-after`, `502-after`, `504-after`: the request is stored, then answered with this status, as when a gateway
    /// gives up on a service that goes on.
    StatusAfter(u16),
    /// `error-true`: 200 with `"error": true`; nothing is stored.
    ErrorTrue,
    /// `401`: unauthorized, without content; nothing is stored.
    Unauthorized,
    /// `reset-before`: the connection is reset, and nothing is stored.
    ResetBefore,
    /// `reset-after`: the request is stored, then the connection is reset.
    ResetAfter,
    /// `cut`: the request is stored, and the body of the reply is cut off.
    Cut,
    /// `callback-duplicate`: the callback is delivered twice.
    CallbackDuplicate,
    /// `callback-late=MS`: the callback is delayed by this many milliseconds, which the clock shortens.
    CallbackLate(u64),
    /// `callback-reordered`: the callback waits until a later one of its business was delivered, or for a minute,
    /// which the clock shortens.
    CallbackReordered,
    /// `callback-interim`: an interim callback precedes the final one.
    CallbackInterim,
}

impl Fault {
    /// How each fault is written, and what it does: the list from which the messages and `bdc-sandbox --help` are
    /// made, and against which the documentation is tested.
    pub const SYNTAX: &'static [(&'static str, &'static str)] = &[
        ("latency=MS", "the reply is delayed by this many milliseconds"),
        ("429", "too many requests, Retry-After: 1; nothing is stored"),
        ("429=SECONDS", "too many requests, with this Retry-After; nothing is stored"),
        ("500", "internal server error; nothing is stored"),
        ("502", "bad gateway, with HTML; nothing is stored"),
        ("503", "service unavailable, Retry-After: 1; nothing is stored"),
        ("503=SECONDS", "service unavailable, with this Retry-After; nothing is stored"),
        ("504", "gateway timeout, with HTML; nothing is stored"),
        ("500-after", "the request is stored, then answered with 500"),
        ("502-after", "the request is stored, then answered with 502, with HTML"),
        ("504-after", "the request is stored, then answered with 504, with HTML"),
        ("error-true", "200 with \"error\": true; nothing is stored"),
        ("401", "unauthorized; nothing is stored"),
        ("reset-before", "the connection is reset; nothing is stored"),
        ("reset-after", "the request is stored, then the connection is reset"),
        ("cut", "the request is stored, and the body of the reply is cut off"),
        ("callback-duplicate", "the callback is delivered twice"),
        ("callback-late=MS", "the callback is delayed by this many milliseconds"),
        ("callback-reordered", "a later callback of the same business overtakes the callback"),
        ("callback-interim", "an interim callback precedes the final one"),
    ];

    /// What may be written, as the end of a sentence.
    fn expected() -> String {
        Self::SYNTAX.iter().map(|(syntax, _)| *syntax).collect::<Vec<_>>().join(", ")
    }
}

impl FromStr for Fault {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let unknown = || Error::UnknownFault { text: text.to_owned(), expected: Self::expected() };
        let (name, number) = match text.split_once('=') {
            Some((name, number)) => (name, Some(number.parse().map_err(|_| unknown())?)),
            None => (text, None),
        };
        Ok(match (name, number) {
            ("latency", Some(millis)) => Self::Latency(millis),
            ("429", seconds) => Self::TooManyRequests(seconds.unwrap_or(1)),
            ("500", None) => Self::Status(500),
            ("502", None) => Self::Status(502),
            ("503", seconds) => Self::Unavailable(seconds.unwrap_or(1)),
            ("504", None) => Self::Status(504),
            ("500-after", None) => Self::StatusAfter(500),
            ("502-after", None) => Self::StatusAfter(502),
            ("504-after", None) => Self::StatusAfter(504),
            ("error-true", None) => Self::ErrorTrue,
            ("401", None) => Self::Unauthorized,
            ("reset-before", None) => Self::ResetBefore,
            ("reset-after", None) => Self::ResetAfter,
            ("cut", None) => Self::Cut,
            ("callback-duplicate", None) => Self::CallbackDuplicate,
            ("callback-late", Some(millis)) => Self::CallbackLate(millis),
            ("callback-reordered", None) => Self::CallbackReordered,
            ("callback-interim", None) => Self::CallbackInterim,
            _ => return Err(unknown()),
        })
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Latency(millis) => write!(f, "latency={millis}"),
            Self::TooManyRequests(seconds) => write!(f, "429={seconds}"),
            Self::Unavailable(seconds) => write!(f, "503={seconds}"),
            Self::Status(status) => write!(f, "{status}"),
            Self::StatusAfter(status) => write!(f, "{status}-after"),
            Self::ErrorTrue => f.write_str("error-true"),
            Self::Unauthorized => f.write_str("401"),
            Self::ResetBefore => f.write_str("reset-before"),
            Self::ResetAfter => f.write_str("reset-after"),
            Self::Cut => f.write_str("cut"),
            Self::CallbackDuplicate => f.write_str("callback-duplicate"),
            Self::CallbackLate(millis) => write!(f, "callback-late={millis}"),
            Self::CallbackReordered => f.write_str("callback-reordered"),
            Self::CallbackInterim => f.write_str("callback-interim"),
        }
    }
}

impl From<Fault> for String {
    fn from(fault: Fault) -> Self {
        fault.to_string()
    }
}

impl TryFrom<String> for Fault {
    type Error = Error;

    fn try_from(text: String) -> Result<Self, Error> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_of_the_list_is_parsed_and_written_the_same_way() {
        for (syntax, _) in Fault::SYNTAX {
            let text = syntax.replace("MS", "500").replace("SECONDS", "7");
            let written = text.parse::<Fault>().map(|fault| fault.to_string());
            let seconds = if ["429", "503"].contains(syntax) { "=1" } else { "" };
            assert_eq!(written.ok(), Some(text + seconds));
        }
    }

    #[test]
    fn another_text_is_refused_with_the_list_of_faults() {
        for text in ["", "418", "501-after", "latency", "latency=x", "cut=1", "nonsense"] {
            let message = text.parse::<Fault>().err().map(|error| error.to_string()).unwrap_or_default();
            assert!(
                message.starts_with(&format!("unknown fault `{text}`; expected one of latency=MS, 429,")),
                "{message}"
            );
        }
    }
}
