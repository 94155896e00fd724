//! Times as they are stored: milliseconds since 1970.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970.
pub type Millis = i64;

/// Tells the time. A worker compares what it stored with what it is told, so a clock that jumps backwards only makes
/// things later.
pub trait Clock: Send + Sync + 'static {
    /// The time.
    fn now(&self) -> Millis;
}

/// The clock of the operating system.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Millis {
        millis(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default())
    }
}

pub(crate) fn millis(duration: Duration) -> Millis {
    Millis::try_from(duration.as_millis()).unwrap_or(Millis::MAX)
}

pub(crate) fn system_time(millis: Millis) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(millis.max(0).unsigned_abs())
}
