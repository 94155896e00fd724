//! Decides whether a failed call can be sent again.

use std::time::{Duration, SystemTime};

use reqwest::{
    StatusCode,
    header::{DATE, RETRY_AFTER},
};

use super::{Error, cause};
use crate::{Effect, Reply};

/// Whether a request whose call failed can be sent again: the answer of [`Error::retry`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Retry {
    /// It is safe to send the request again: it was provably never sent, or it only reads.
    Now,
    /// It is safe to send the request again after this time.
    After(Duration),
    /// The service may have acted on the request. Check what it holds before you send the request again, or accept that
    /// it may be recorded twice.
    CheckFirst,
    /// Sending the same request again with the same configuration does not help. Something has to be corrected.
    Never,
}

impl Retry {
    /// The longest time that [`After`](Self::After) asks for, whatever the service says: one hour.
    pub const LONGEST: Duration = Duration::from_secs(60 * 60);

    /// The time that [`After`](Self::After) asks for where the service does not say: one second.
    pub const UNSPECIFIED: Duration = Duration::from_secs(1);
}

impl Error {
    /// Whether the request can be sent again, and when. This is the one question to ask about every error:
    ///
    /// ```no_run
    /// use business_data_connector::{Connector, Retry, types::IncomeRecord};
    ///
    /// # async fn example(connector: Connector, income: IncomeRecord) {
    /// match connector.push_income("demo-business", income).await {
    ///     Ok(reply) => println!("queued: {}", reply.status()),
    ///     Err(error) => match error.retry() {
    ///         Retry::Now => println!("send it again: {error}"),
    ///         Retry::After(delay) => println!("send it again in {delay:?}: {error}"),
    ///         Retry::CheckFirst => println!("it may have been recorded; check before you send it again: {error}"),
    ///         _ => println!("correct it first: {error}: {}", error.message().unwrap_or_default()),
    ///     },
    /// }
    /// # }
    /// ```
    ///
    /// What the interface does not specify is decided with caution. A write is [`Retry::CheckFirst`] after 408 and 5xx,
    /// which a gateway may answer after the service has stored the record, after a success that cannot be read, and
    /// whenever the request was sent and no reply arrived. 429, and 503 with a `Retry-After`, are assumed to mean that
    /// nothing was done. Whether an operation writes is its [`effect`](crate::Operation::effect).
    ///
    /// It is about this request and not about a later one: after [`Retry::Never`] for a missing configuration, the
    /// request itself can be kept.
    pub fn retry(&self) -> Retry {
        match self {
            Self::Invalid { .. } | Self::Refused { .. } | Self::Unauthorized { .. } => Retry::Never,
            Self::UnexpectedStatus { reply } => self.after_status(reply),
            // The service was reached and reported success, so a read would end the same way again.
            Self::ReplyTooLarge { reply, .. } | Self::UnreadableReply { reply, .. } => match reply.operation.effect {
                Effect::Write => Retry::CheckFirst,
                Effect::Read => Retry::Never,
            },
            Self::NeverSent { source, .. } if cause::misconfiguration(source).is_some() => Retry::Never,
            Self::NeverSent { .. } => Retry::Now,
            Self::OutcomeUnknown { operation, .. } => match operation.effect {
                Effect::Write => Retry::CheckFirst,
                Effect::Read => Retry::Now,
            },
        }
    }

    fn after_status(&self, reply: &Reply) -> Retry {
        let delay = self.retry_after();
        match (reply.status, reply.operation.effect) {
            (StatusCode::TOO_MANY_REQUESTS, _) => Retry::After(delay.unwrap_or(Retry::UNSPECIFIED)),
            (StatusCode::SERVICE_UNAVAILABLE, Effect::Write) => delay.map_or(Retry::CheckFirst, Retry::After),
            (status, effect) if status.is_server_error() || status == StatusCode::REQUEST_TIMEOUT => match effect {
                Effect::Write => Retry::CheckFirst,
                Effect::Read => Retry::After(delay.unwrap_or(Retry::UNSPECIFIED)),
            },
            _ => Retry::Never,
        }
    }

    /// The time that the reply's `Retry-After` header asks to wait, at most [`Retry::LONGEST`]. Both forms are read: a
    /// number of seconds, and a date, which counts from the reply's own `Date` so that a wrong clock on this machine
    /// does not matter. `None` without the header, or if it is neither.
    pub fn retry_after(&self) -> Option<Duration> {
        let headers = self.reply()?.headers();
        let value = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
        let delay = if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
            // More digits than fit ask for longer than the longest.
            value.parse().map_or(Retry::LONGEST, Duration::from_secs)
        } else {
            let date = |text: &str| httpdate::parse_http_date(text.trim()).ok();
            let now = headers.get(DATE).and_then(|value| date(value.to_str().ok()?)).unwrap_or_else(SystemTime::now);
            date(value)?.duration_since(now).unwrap_or(Duration::ZERO)
        };
        Some(delay.min(Retry::LONGEST))
    }
}
