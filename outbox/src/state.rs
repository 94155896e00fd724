use std::fmt;

/// What is known of a request in the outbox.
///
/// States only move forward, and each is backed by evidence. A person may decide otherwise: see
/// [`Outbox::resend`](crate::Outbox::resend).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum State {
    /// It waits to be sent. It provably has not been sent since it was queued.
    Queued,
    /// It is about to be sent, or under way.
    Sending,
    /// The service answered 200, which means that it was accepted for processing.
    Taken,
    /// The service executed it: its callback says so, or a pull returned the record, or, for an operation without
    /// callbacks, the reply; or a person accepted it.
    Confirmed,
    /// The service refused it, with 400 or in its callback.
    Refused,
    /// It was sent, and nobody knows whether the service took it.
    Unknown,
    /// It was taken, and no callback arrived in time.
    Unconfirmed,
    /// It was not sent, and will not be until a person has looked at it: it is invalid, or could not be sent often
    /// enough.
    Parked,
    /// A person decided that it is not needed.
    Dropped,
}

impl State {
    /// All states.
    pub const ALL: [Self; 9] = [
        Self::Queued,
        Self::Sending,
        Self::Taken,
        Self::Confirmed,
        Self::Refused,
        Self::Unknown,
        Self::Unconfirmed,
        Self::Parked,
        Self::Dropped,
    ];

    /// The name, in lower case.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Sending => "sending",
            Self::Taken => "taken",
            Self::Confirmed => "confirmed",
            Self::Refused => "refused",
            Self::Unknown => "unknown",
            Self::Unconfirmed => "unconfirmed",
            Self::Parked => "parked",
            Self::Dropped => "dropped",
        }
    }

    /// Whether nothing more happens to the request by itself, and nobody has to look at it: it is confirmed or dropped.
    pub fn is_settled(self) -> bool {
        matches!(self, Self::Confirmed | Self::Dropped)
    }

    /// The number by which a database knows it.
    pub(crate) fn code(self) -> i64 {
        Self::ALL.iter().zip(0..).find_map(|(state, code)| (*state == self).then_some(code)).unwrap_or(0)
    }

    pub(crate) fn from_code(code: i64) -> Option<Self> {
        Self::ALL.get(usize::try_from(code).ok()?).copied()
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}
