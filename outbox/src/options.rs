use std::time::Duration;

use crate::State;

/// How a worker sends: see [`WorkerBuilder`](crate::WorkerBuilder).
#[derive(Debug, Clone)]
pub(crate) struct Options {
    pub(crate) lanes: usize,
    pub(crate) batch_records: usize,
    pub(crate) batch_bytes: usize,
    pub(crate) call_limit: Duration,
    pub(crate) first_delay: Duration,
    pub(crate) longest_delay: Duration,
    pub(crate) attempts: u32,
    pub(crate) check_after: Duration,
    pub(crate) quiet: Duration,
    pub(crate) unconfirmed_after: Duration,
    pub(crate) atomic_refusals: bool,
    pub(crate) resend_absent: bool,
    pub(crate) keep: Vec<(State, Duration)>,
    pub(crate) poll_interval: Duration,
}

impl Options {
    /// How long a batch belongs to a worker, in a store that several share: until its call has ended at the latest.
    pub(crate) fn lease(&self) -> Duration {
        self.call_limit.saturating_add(self.margin().saturating_mul(2))
    }

    /// How long a worker may take to begin the call, and to store what became of it.
    pub(crate) fn margin(&self) -> Duration {
        self.call_limit / 4
    }
}

impl Default for Options {
    fn default() -> Self {
        let days = |days: u64| Duration::from_secs(days * 24 * 60 * 60);
        Self {
            lanes: 8,
            batch_records: 100,
            batch_bytes: 256 * 1024,
            call_limit: Duration::from_secs(5 * 60),
            first_delay: Duration::from_secs(1),
            longest_delay: Duration::from_secs(15 * 60),
            attempts: 100,
            check_after: Duration::from_secs(60),
            quiet: Duration::from_secs(10 * 60),
            unconfirmed_after: Duration::from_secs(7 * 60 * 60),
            atomic_refusals: false,
            resend_absent: false,
            keep: vec![(State::Confirmed, days(30)), (State::Dropped, days(365))],
            poll_interval: Duration::from_millis(500),
        }
    }
}
