//! The limits on clients, and on receivers of callbacks.

use std::time::Duration;

use tokio::sync::Semaphore;

use crate::error::Error;

/// How long a receiver of callbacks may take to reply. A sandbox that stops waits as long for its connections, and
/// again for its callbacks.
pub(crate) const RECEIVER_TIMEOUT: Duration = Duration::from_secs(10);

/// The limits on clients.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// How many connections are served at the same time; further ones wait.
    pub(crate) connections: usize,
    /// How long the head of a request may take, how long its body, and how long a reply may wait for its reader.
    pub(crate) read_timeout: Duration,
    /// The size of the largest body that is accepted, in bytes.
    pub(crate) body: usize,
}

impl Limits {
    /// The defaults, which the builder's documentation and the program's `--help` show.
    pub(crate) const DEFAULT: Self = Self {
        // Fewer than the number of files that a process may have open by default.
        connections: 512,
        read_timeout: Duration::from_secs(30),
        // Far more than a large push needs: 10,000 records take about 2 MB.
        body: 16 * 1024 * 1024,
    };

    /// # Errors
    /// [`Error::InvalidLimit`] when no request could be served within the limits.
    pub(crate) fn check(&self) -> Result<(), Error> {
        const DAY: Duration = Duration::from_secs(24 * 60 * 60);
        const MOST: usize = Semaphore::MAX_PERMITS;

        let invalid = |limit, value, expected| Err(Error::InvalidLimit { limit, value, expected });
        if !(1..=MOST).contains(&self.connections) {
            return invalid("connections", self.connections.to_string(), format!("1 to {MOST}"));
        }
        if self.read_timeout.is_zero() || self.read_timeout > DAY {
            let expected = "more than zero, and at most one day".to_owned();
            return invalid("read_timeout", format!("{:?}", self.read_timeout), expected);
        }
        if self.body == 0 {
            return invalid("body_limit", "0".to_owned(), "at least 1 byte".to_owned());
        }
        Ok(())
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self::DEFAULT
    }
}
