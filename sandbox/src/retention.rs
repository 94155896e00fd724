//! What is kept of that which is finished, and for how long.

use std::time::Duration;

/// What is kept of that which is finished. Records and businesses are kept until a reset.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Retention {
    /// Among how many of the last callbacks the finished ones are kept. One that waits is always kept.
    pub(crate) callbacks: u64,
    /// How long an upload address and its file are kept after the address has expired.
    pub(crate) uploads: Duration,
}

impl Retention {
    /// The defaults, which the builder's documentation and the program's `--help` show.
    pub(crate) const DEFAULT: Self = Self { callbacks: 10_000, uploads: Duration::from_secs(24 * 60 * 60) };
}

impl Default for Retention {
    fn default() -> Self {
        Self::DEFAULT
    }
}
