use std::{fmt, sync::Arc, time::Duration};

use business_data_connector::{Connector, inbox::Inbox};

use super::{
    run::{self, Worker},
    transport::ServiceTransport,
};
use crate::{Outbox, OutboxError, State, options::Options};

/// Configures a [`Worker`]. It is made by [`Outbox::worker`].
#[must_use = "a worker does nothing until it runs"]
pub struct WorkerBuilder {
    pub(crate) outbox: Outbox,
    pub(crate) connector: Connector,
    pub(crate) inbox: Inbox,
    pub(crate) options: Options,
}

impl Outbox {
    /// Configures a worker, which sends with this connector and receives callbacks with this inbox. Give the inbox a
    /// [store](business_data_connector::inbox::InboxBuilder::store) that survives the process.
    pub fn worker(&self, connector: Connector, inbox: Inbox) -> WorkerBuilder {
        WorkerBuilder { outbox: self.clone(), connector, inbox, options: Options::default() }
    }
}

impl WorkerBuilder {
    /// Sets how many businesses are served at the same time: 8. Each has one request under way.
    pub fn businesses_at_once(mut self, number: usize) -> Self {
        self.options.lanes = number.max(1);
        self
    }

    /// Limits the number of records in one request: 100. How many the service accepts is not specified. A callback
    /// that reports a failure leaves the fate of the whole batch open, so small batches are worth something.
    pub fn batch_records(mut self, number: usize) -> Self {
        self.options.batch_records = number.max(1);
        self
    }

    /// Limits the size of the records in one request, in bytes of JSON: 256 KiB. A larger record travels alone.
    pub fn batch_bytes(mut self, bytes: usize) -> Self {
        self.options.batch_bytes = bytes;
        self
    }

    /// Sets after which time a call is given up that has no
    /// [timeout](business_data_connector::ConnectorBuilder::timeout) of its own: five minutes. Its outcome is unknown
    /// then.
    pub fn call_limit(mut self, limit: Duration) -> Self {
        self.options.call_limit = limit;
        self
    }

    /// Sets the delays before a business is served again whose request could not be sent, or failed: a random time up
    /// to the first delay, which doubles each time, up to the longest. One second and 15 minutes.
    pub fn delays(mut self, first: Duration, longest: Duration) -> Self {
        (self.options.first_delay, self.options.longest_delay) = (first, longest);
        self
    }

    /// Sets after how many attempts a request is [parked](State::Parked) that could not be sent: 100.
    pub fn attempts(mut self, number: u32) -> Self {
        self.options.attempts = number.max(1);
        self
    }

    /// Sets how a record whose fate is not known is looked for: the time before the first pull, and the quiet time
    /// before the second one, after which it counts as absent. One minute and ten minutes. The service may answer 200
    /// long before a pull returns the record.
    pub fn checks(mut self, after: Duration, quiet: Duration) -> Self {
        (self.options.check_after, self.options.quiet) = (after, quiet);
        self
    }

    /// Sets after which time without a callback a taken request is [unconfirmed](State::Unconfirmed): seven hours. The
    /// service was observed to retry a callback for six hours and a half.
    pub fn unconfirmed_after(mut self, time: Duration) -> Self {
        self.options.unconfirmed_after = time;
        self
    }

    /// Declares that the service refuses a batch as a whole, so that after a 400 each record is sent on its own, and
    /// the wrong one is found. Without this, such records are unknown, since the interface does not say so.
    pub fn refusals_are_atomic(mut self) -> Self {
        self.options.atomic_refusals = true;
        self
    }

    /// Declares that a record is to be sent again that two pulls did not return. Without this, a person decides. If
    /// the service had taken it and was slow, it is recorded twice.
    pub fn resend_absent(mut self) -> Self {
        self.options.resend_absent = true;
        self
    }

    /// Sets how long requests are kept that are in a state: confirmed ones 30 days, dropped ones a year, all others
    /// for ever. A record that is removed can be enqueued again, and is then sent again.
    pub fn keep(mut self, state: State, time: Duration) -> Self {
        let keep = &mut self.options.keep;
        keep.retain(|(kept, _)| *kept != state);
        // What is under way has to be followed.
        if !matches!(state, State::Queued | State::Sending | State::Taken) {
            keep.push((state, time));
        }
        self
    }

    /// Sets how often to look for requests that another process, or a transaction of your own, has added: 500 ms.
    pub fn poll_interval(mut self, interval: Duration) -> Self {
        self.options.poll_interval = interval;
        self
    }

    /// Runs the worker on the current Tokio runtime. What an earlier one left is dealt with first: a request that it
    /// was sending is [unknown](State::Unknown) now.
    ///
    /// # Errors
    /// [`OutboxError::Locked`] if another worker has the outbox; otherwise if the store fails.
    pub async fn run(self) -> Result<Worker, OutboxError> {
        let Self { outbox, connector, inbox, options } = self;
        let transport = ServiceTransport { connector, inbox: inbox.clone(), limit: options.call_limit };
        run::run(outbox, Arc::new(transport), inbox, options).await
    }
}

impl fmt::Debug for WorkerBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkerBuilder").field("options", &self.options).finish_non_exhaustive()
    }
}
