use std::{fmt, future::IntoFuture, pin::Pin, time::Duration};

use tokio::time::{Instant, sleep};
use tracing::{Instrument, Span, field::Empty};

use crate::{Connector, Effect, Error, Reply, Request, attempt};

/// A call that is ready to be made: set what is optional, then `.await` it.
///
/// It may be sent to another task or thread. Dropping it while it runs gives it up: what had left by then may still have
/// its effect, what had not never leaves.
///
/// # Panics
/// Awaited outside a Tokio runtime with time and I/O enabled, as anything that waits for Tokio does.
#[must_use = "a call does nothing until it is awaited"]
#[derive(Clone)]
pub struct Call<R> {
    connector: Connector,
    request: R,
    deadline: Option<Duration>,
    repeatable: bool,
}

impl<R: Request> Call<R> {
    pub(crate) fn new(connector: Connector, request: R) -> Self {
        let deadline = connector.shared().deadline;
        Self { connector, request, deadline, repeatable: R::OPERATION.effect == Effect::Read }
    }

    /// The time that the whole call may take: connecting, every attempt, and reading the answer. It replaces that of the
    /// [builder](crate::ConnectorBuilder::deadline).
    pub fn deadline(mut self, deadline: Duration) -> Self {
        self.deadline = Some(deadline);
        self
    }

    /// Waits for as long as it takes.
    pub fn no_deadline(mut self) -> Self {
        self.deadline = None;
        self
    }

    /// Says that repeating this call is harmless, so that it is repeated after any transport failure, as reads are. The
    /// interface does not promise that a write with the same `id` replaces the first. What the call then tells is how the
    /// last attempt went; one before it may have had its effect.
    pub fn repeatable(mut self) -> Self {
        self.repeatable = true;
        self
    }

    /// The request as it stands.
    pub fn request(&self) -> &R {
        &self.request
    }

    pub(crate) fn with(mut self, change: impl FnOnce(R) -> R) -> Self {
        self.request = change(self.request);
        self
    }

    async fn run(self) -> Result<Reply, Error> {
        let (operation, shared) = (R::OPERATION, self.connector.shared());
        if let Some(header) = operation.header_key.filter(|_| !shared.credentials.has_header_key()) {
            let problem = format!(
                "{} carries {header}, and no header key is set; give the builder a `header_key`, or set BDC_HEADER_KEY",
                operation.id
            );
            return Err(Error::invalid(problem));
        }
        // A deadline too far to be counted is none.
        let until = self.deadline.and_then(|deadline| Instant::now().checked_add(deadline));
        let mut left_before = false;
        let mut pause = FIRST_PAUSE;
        for attempt in 1.. {
            let span = tracing::debug_span!("call", operation = operation.id, attempt, status = Empty);
            let result = attempt::send(shared, &self.request, until).instrument(span.clone()).await;
            let result = result.map_err(|error| if left_before { error.after_one_that_left() } else { error });
            record(&span, &result);
            left_before |= result.as_ref().is_err_and(Error::is_outcome_unknown);
            let again = matches!(&result, Err(error) if attempt < shared.attempts && self.may_repeat(error));
            let in_time = until.is_none_or(|until| Instant::now() + pause < until);
            if !(again && in_time) {
                return result;
            }
            sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
        unreachable!("the attempts end at the limit")
    }

    /// A write is repeated only when it provably never left, a read after any failure of the transport.
    fn may_repeat(&self, error: &Error) -> bool {
        error.is_never_sent() || (self.repeatable && error.is_outcome_unknown())
    }
}

/// The pause before the second attempt; each further one is twice as long, up to the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

fn record(span: &Span, result: &Result<Reply, Error>) {
    let status = match result {
        Ok(reply) => Some(reply.status()),
        Err(error) => error.status(),
    };
    if let Some(status) = status {
        span.record("status", status.as_u16());
    }
    span.in_scope(|| match result {
        Ok(_) => tracing::debug!("answered"),
        Err(error) => tracing::debug!(%error, "failed"),
    });
}

impl<R: Request> IntoFuture for Call<R> {
    type Output = Result<Reply, Error>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

impl<R: fmt::Debug> fmt::Debug for Call<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call")
            .field("request", &self.request)
            .field("deadline", &self.deadline)
            .field("repeatable", &self.repeatable)
            .finish_non_exhaustive()
    }
}
