use std::{
    str::FromStr,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// How fast the sandbox's waiting goes: `100x` makes ten minutes six seconds. The time that it tells is not changed.
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
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let speed = text.strip_suffix('x').unwrap_or(text).parse().ok();
        let speed = speed.filter(|speed: &f64| speed.is_finite() && *speed > 0.0);
        speed.map(|speed| Self { speed }).ok_or_else(|| format!("`{text}` is not a speed; write 1x, 100x or 0.5x"))
    }
}

impl Clock {
    /// What a wait of this length takes.
    pub(crate) fn scaled(self, wait: Duration) -> Duration {
        Duration::try_from_secs_f64(wait.as_secs_f64() / self.speed).unwrap_or(Duration::MAX)
    }
}

/// Milliseconds since 1970.
pub(crate) fn now() -> i64 {
    millis(SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default())
}

pub(crate) fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_speed_is_a_positive_number() {
        let scaled = |text: &str| text.parse::<Clock>().map(|clock| clock.scaled(Duration::from_secs(600)));
        assert_eq!(scaled("100x"), Ok(Duration::from_secs(6)));
        assert_eq!(scaled("0.5"), Ok(Duration::from_secs(1200)));
        for text in ["", "x", "0x", "-1x", "inf", "NaNx", "1e400x", "fast"] {
            assert_eq!(scaled(text), Err(format!("`{text}` is not a speed; write 1x, 100x or 0.5x")));
        }
    }
}
