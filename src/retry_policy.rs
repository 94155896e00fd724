use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBuilder};

use crate::{Error, Retry};

/// When and how often a call is retried by itself.
///
/// By default a call is attempted up to three times, and only after a transport failure: a write when it was provably
/// never sent, a read whenever no reply arrived. Each attempt sends the same bytes, and the
/// [timeout](crate::Call::timeout) limits all of them together. The delay between attempts doubles, from 100
/// milliseconds up to 5 seconds, with up to as much random jitter added.
///
/// ```
/// # fn main() -> Result<(), business_data_connector::Error> {
/// use std::time::Duration;
/// use business_data_connector::{Connector, RetryPolicy};
///
/// // For a job at night that can wait while the service limits the rate.
/// let patient = RetryPolicy::new().max_attempts(10).delay(Duration::from_secs(1),
/// Duration::from_secs(60)).after_replies(); let connector = Connector::builder()
///     .base_url("http://127.0.0.1:4010")
///     .credentials("my-apikey", "my-appid")
///     .timeout(Duration::from_secs(15 * 60))
///     .retry_policy(patient)
///     .build()?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub struct RetryPolicy {
    max_attempts: u32,
    first_delay: Duration,
    longest_delay: Duration,
    after_replies: bool,
}

impl RetryPolicy {
    /// The default policy.
    pub const fn new() -> Self {
        Self {
            max_attempts: 3,
            first_delay: Duration::from_millis(100),
            longest_delay: Duration::from_secs(5),
            after_replies: false,
        }
    }

    /// A policy that attempts every call once.
    pub const fn never() -> Self {
        Self::new().max_attempts(1)
    }

    /// Limits how often a call is attempted, the first time included. Zero counts as one.
    pub const fn max_attempts(mut self, attempts: u32) -> Self {
        self.max_attempts = attempts;
        self
    }

    /// Sets the delay before the second attempt, and the limit up to which it doubles.
    pub const fn delay(mut self, first: Duration, longest: Duration) -> Self {
        self.first_delay = first;
        self.longest_delay = longest;
        self
    }

    /// Retries after replies too, where [`Error::retry`] says [`Retry::After`]: after 429, after 503 with
    /// `Retry-After`, and reads after 408 and 5xx. The delay is at least the one that the service asked for. That
    /// nothing was done by then is assumed; the interface does not document these statuses.
    pub const fn after_replies(mut self) -> Self {
        self.after_replies = true;
        self
    }

    pub(crate) fn may_retry_after(&self, attempt: u32) -> bool {
        attempt < self.max_attempts
    }

    /// The least delay before the next attempt; `None` if there must not be one.
    pub(crate) fn least_delay(&self, error: &Error, idempotent: bool) -> Option<Duration> {
        match error.retry() {
            Retry::Now => Some(Duration::ZERO),
            Retry::After(delay) => self.after_replies.then_some(delay),
            Retry::CheckFirst if idempotent && (self.after_replies || error.is_outcome_unknown()) => {
                Some(error.retry_after().unwrap_or_default())
            }
            Retry::CheckFirst | Retry::Never => None,
        }
    }

    /// The delays between attempts.
    pub(crate) fn delays(&self) -> impl Iterator<Item = Duration> + Send + use<> {
        ExponentialBuilder::default()
            .with_min_delay(self.first_delay)
            .with_max_delay(self.longest_delay.max(self.first_delay))
            .with_jitter()
            .without_max_times()
            .build()
    }
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self::new()
    }
}
