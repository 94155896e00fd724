use std::{
    str::FromStr,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use crate::error::Error;

/// How fast the sandbox's waits pass: with `100x`, ten minutes take six seconds.
///
/// It shortens the waits between delivery attempts of a callback and the lifetime of upload addresses. Timestamps are
/// not changed.
///
/// ```
/// use business_data_connector_sandbox::{Clock, Sandbox};
///
/// let clock: Clock = "100x".parse()?;
/// let builder = Sandbox::builder().clock(clock);
/// assert!("fast".parse::<Clock>().is_err());
/// # Ok::<(), business_data_connector_sandbox::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clock {
    speed: f64,
}

impl Default for Clock {
    fn default() -> Self {
        Self { speed: 1.0 }
    }
}

impl FromStr for Clock {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let speed = text.strip_suffix('x').unwrap_or(text).parse().ok();
        let speed = speed.filter(|speed: &f64| speed.is_finite() && *speed > 0.0);
        speed.map(|speed| Self { speed }).ok_or_else(|| Error::InvalidClock { text: text.to_owned() })
    }
}

impl Clock {
    /// How long a wait of this length takes.
    pub(crate) fn scaled(self, wait: Duration) -> Duration {
        Duration::try_from_secs_f64(wait.as_secs_f64() / self.speed).unwrap_or(Duration::MAX)
    }

    /// When a wait that begins now is over, in milliseconds since 1970.
    pub(crate) fn after(self, wait: Duration) -> i64 {
        now().saturating_add(millis(self.scaled(wait)))
    }
}

/// Milliseconds since 1970.
pub(crate) fn now() -> i64 {
    millis(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default())
}

pub(crate) fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

/// Milliseconds since 1970 as RFC 3339 in UTC.
pub(crate) fn utc(millis: i64) -> String {
    /// The end of the year 9999, after which RFC 3339 has no notation.
    const LAST: i64 = 253_402_300_799_999;

    let time = UNIX_EPOCH + Duration::from_millis(millis.clamp(0, LAST).unsigned_abs());
    humantime::format_rfc3339_millis(time).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_speed_is_a_positive_number() {
        let scaled = |text: &str| text.parse::<Clock>().map(|clock| clock.scaled(Duration::from_secs(600)));
        assert_eq!(scaled("100x").ok(), Some(Duration::from_secs(6)));
        assert_eq!(scaled("0.5").ok(), Some(Duration::from_secs(1200)));
        for text in ["", "x", "0x", "-1x", "inf", "NaNx", "1e400x", "fast"] {
            let message = scaled(text).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(message.starts_with(&format!("`{text}` is not a clock speed; write")), "{message}");
        }
    }
}
