//! Faults on demand: what goes wrong between a caller and such a service.

use std::{
    fmt, io,
    pin::Pin,
    str::FromStr,
    task::{Context, Poll},
    time::Duration,
};

use axum::{
    body::{Body, Bytes},
    http::{HeaderValue, Response, StatusCode, header},
    response::IntoResponse,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A fault, as it is written in a request's notes (`sandbox:latency=500`), in the header `X-Sandbox-Fault`, or to the
/// inspection API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
#[non_exhaustive]
pub enum Fault {
    /// `latency=MS`: the request is taken, and its answer waits for so many milliseconds.
    Latency(u64),
    /// `429` or `429=SECONDS`: too many requests, with `Retry-After`; nothing is stored.
    TooManyRequests(u64),
    /// `500`, `502`, `504`: the last two with HTML, as a gateway's; nothing is stored.
    Status(u16),
    /// `error-true`: 200 with `"error": true`; nothing is stored.
    ErrorTrue,
    /// `401`: not authorised, without content; nothing is stored.
    Unauthorized,
    /// `reset-before`: the connection is reset, and nothing is stored.
    ResetBefore,
    /// `reset-after`: the request is stored, and the connection is reset.
    ResetAfter,
    /// `cut`: the request is stored, and the answer's body breaks off.
    Cut,
    /// `callback-duplicate`: the callback is delivered twice.
    CallbackDuplicate,
    /// `callback-late=MS`: the callback waits for so many milliseconds, which the clock makes shorter.
    CallbackLate(u64),
    /// `callback-reordered`: the callback waits until another one of its business has overtaken it, or a minute, which the clock makes
    /// shorter.
    CallbackReordered,
    /// `callback-interim`: an interim callback comes before the final one.
    CallbackInterim,
}

impl FromStr for Fault {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let unknown = || {
            format!(
                "`{text}` is no fault; there are latency=MS, 429, 429=SECONDS, 500, 502, 504, error-true, 401, reset-before, \
                 reset-after, cut, callback-duplicate, callback-late=MS, callback-reordered and callback-interim"
            )
        };
        let (name, number) = match text.split_once('=') {
            Some((name, number)) => (name, Some(number.parse().map_err(|_| unknown())?)),
            None => (text, None),
        };
        Ok(match (name, number) {
            ("latency", Some(millis)) => Self::Latency(millis),
            ("429", seconds) => Self::TooManyRequests(seconds.unwrap_or(1)),
            ("500", None) => Self::Status(500),
            ("502", None) => Self::Status(502),
            ("504", None) => Self::Status(504),
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
            Self::Status(status) => write!(f, "{status}"),
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
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl Fault {
    /// The fault that a request asks for itself: in its header, or anywhere in its notes.
    ///
    /// # Errors
    /// When what it asks for is no fault.
    pub(crate) fn asked_for(header: Option<&HeaderValue>, body: &Value) -> Option<Result<Self, String>> {
        let named = header.and_then(|value| value.to_str().ok()).map(str::to_owned);
        named.or_else(|| in_notes(body)).map(|name| name.parse())
    }

    /// The answer that comes in place of the request being taken.
    pub(crate) fn instead(self) -> Option<Response<Body>> {
        let page = |status: StatusCode| {
            let body = format!("<html><head><title>{status}</title></head><body><h1>{status}</h1></body></html>");
            ([(header::CONTENT_TYPE, "text/html")], body)
        };
        Some(match self {
            Self::TooManyRequests(seconds) => {
                (StatusCode::TOO_MANY_REQUESTS, [(header::RETRY_AFTER, seconds.to_string())]).into_response()
            }
            Self::Status(500) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
            Self::Status(status) => {
                let status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_GATEWAY);
                (status, page(status)).into_response()
            }
            Self::ErrorTrue => {
                let body = r#"{"error":true,"message":"a fault of the sandbox"}"#;
                ([(header::CONTENT_TYPE, "application/json")], body).into_response()
            }
            Self::Unauthorized => StatusCode::UNAUTHORIZED.into_response(),
            Self::ResetBefore => StatusCode::OK.into_response(),
            _ => return None,
        })
    }

    pub(crate) fn resets(self) -> bool {
        matches!(self, Self::ResetBefore | Self::ResetAfter)
    }

    pub(crate) fn latency(self) -> Option<Duration> {
        match self {
            Self::Latency(millis) => Some(Duration::from_millis(millis)),
            _ => None,
        }
    }

    /// What the caller gets in place of the right answer to a request that was taken.
    pub(crate) fn spoilt(self, answer: Response<Body>) -> Response<Body> {
        match self {
            Self::Cut => Response::new(Body::new(CutBody::default())),
            _ => answer,
        }
    }
}

fn in_notes(value: &Value) -> Option<String> {
    match value {
        Value::Object(members) => {
            let own = members.get("notes").and_then(Value::as_str).and_then(|notes| notes.split("sandbox:").nth(1));
            // Notes are prose: the name may be followed by what ends a sentence.
            let own = own.map(|rest| rest.split_whitespace().next().unwrap_or_default());
            let own = own.map(|name| name.trim_end_matches([')', '.', ',', ';', ':', '!', '?']).to_owned());
            own.or_else(|| members.values().find_map(in_notes))
        }
        Value::Array(items) => items.iter().find_map(in_notes),
        _ => None,
    }
}

/// A body that says it has a hundred bytes and breaks off after some.
#[derive(Default)]
struct CutBody {
    asked: u32,
}

impl CutBody {
    const WHOLE: u64 = 100;
    const BEGINNING: &'static [u8] = b"{\"error\":";
}

impl axum::body::HttpBody for CutBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Bytes>, io::Error>>> {
        self.asked += 1;
        match self.asked {
            1 => Poll::Ready(Some(Ok(http_body::Frame::data(Bytes::from_static(Self::BEGINNING))))),
            // What was given so far is sent while this waits.
            2 => {
                cx.waker().wake_by_ref();
                Poll::Pending
            }
            _ => Poll::Ready(Some(Err(io::ErrorKind::ConnectionReset.into()))),
        }
    }

    fn size_hint(&self) -> http_body::SizeHint {
        let given = if self.asked == 0 { 0 } else { Self::BEGINNING.len() as u64 };
        http_body::SizeHint::with_exact(Self::WHOLE - given)
    }
}

/// A fault for requests of an operation, or of any.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FaultRule {
    /// The operation, any if it is not named.
    #[serde(default)]
    pub operation: Option<String>,
    /// What goes wrong.
    pub fault: Fault,
    /// For how many requests; for all, if it is not said.
    #[serde(default)]
    pub times: Option<u32>,
}

/// The rules in force, the first that fits first.
#[derive(Default)]
pub(crate) struct FaultRules(pub(crate) Vec<FaultRule>);

impl FaultRules {
    pub(crate) fn next(&mut self, operation: &str) -> Option<Fault> {
        let fits = |rule: &FaultRule| rule.operation.as_ref().is_none_or(|named| named == operation);
        let index = self.0.iter().position(fits)?;
        let rule = &mut self.0[index];
        let fault = rule.fault;
        if let Some(times) = &mut rule.times {
            *times = times.saturating_sub(1);
            if *times == 0 {
                self.0.remove(index);
            }
        }
        Some(fault)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_read_as_it_is_written() {
        for text in [
            "latency=500",
            "429=7",
            "500",
            "502",
            "504",
            "error-true",
            "401",
            "reset-before",
            "reset-after",
            "cut",
            "callback-duplicate",
            "callback-late=20",
            "callback-reordered",
            "callback-interim",
        ] {
            assert_eq!(text.parse::<Fault>().map(|fault| fault.to_string()).as_deref(), Ok(text));
        }
        for text in ["", "503", "latency", "latency=x", "cut=1", "nonsense"] {
            assert!(
                text.parse::<Fault>()
                    .is_err_and(|e| e.starts_with(&format!("`{text}` is no fault; there are latency=MS")))
            );
        }
    }

    #[test]
    fn a_rule_holds_for_as_many_requests_as_it_says() {
        let rule =
            |operation: Option<&str>, fault, times| FaultRule { operation: operation.map(str::to_owned), fault, times };
        let mut rules = FaultRules(vec![rule(Some("a"), Fault::Cut, Some(2)), rule(None, Fault::ErrorTrue, None)]);
        let faults: Vec<_> = ["b", "a", "a", "a"].iter().map(|operation| rules.next(operation)).collect();
        assert_eq!(faults, [Some(Fault::ErrorTrue), Some(Fault::Cut), Some(Fault::Cut), Some(Fault::ErrorTrue)]);
    }
}
