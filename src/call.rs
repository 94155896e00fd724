use std::{fmt, future::IntoFuture, pin::Pin, sync::Arc, time::Duration};

use tokio::time::{Instant, sleep};
use tracing::{Instrument, Span, field::Empty};

use crate::{Effect, Error, Reply, Request, attempt, shared::Shared};

/// A call that is ready to be sent: set the optional fields of its request, then `.await` it.
///
/// A call can be sent to another task or thread. Dropping it while it runs cancels it: a request that had been sent by
/// then may still take effect, one that had not is never sent.
///
/// ```no_run
/// # async fn example(connector: business_data_connector::Connector) -> Result<(), business_data_connector::Error> {
/// use std::time::Duration;
/// use business_data_connector::{Decimal, types::IncomeRecord};
///
/// let income = IncomeRecord::new().id("INV-1").currency("ZAR").amount(Decimal::from(20));
/// let reply = connector
///     .push_income("demo-business", income)
///     .webhook("https://partner.example/callbacks/1")
///     .timeout(Duration::from_secs(10))
///     .await?;
/// # Ok(())
/// # }
/// ```
///
/// # Panics
/// When awaited outside a Tokio runtime with time and I/O enabled.
#[must_use = "a call does nothing until it is awaited"]
#[derive(Clone)]
pub struct Call<R> {
    shared: Arc<Shared>,
    request: R,
    timeout: Option<Duration>,
    idempotent: bool,
}

impl<R: Request> Call<R> {
    pub(crate) fn new(shared: Arc<Shared>, request: R) -> Self {
        let timeout = shared.timeout;
        Self { shared, request, timeout, idempotent: R::OPERATION.effect == Effect::Read }
    }

    /// Limits the time of the whole call: connecting, every attempt, and reading the reply. It replaces the
    /// [builder's](crate::ConnectorBuilder::timeout).
    #[doc(alias = "deadline")]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Removes the time limit of this call.
    pub fn no_timeout(mut self) -> Self {
        self.timeout = None;
        self
    }

    /// Declares that sending this request twice is harmless, so that it is retried after any transport failure, as reads
    /// are. The interface does not promise that a second write with the same `id` replaces the first. The result is that
    /// of the last attempt; an earlier one may have taken effect.
    #[doc(alias = "retry")]
    pub fn idempotent(mut self) -> Self {
        self.idempotent = true;
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
        let (operation, shared) = (R::OPERATION, &self.shared);
        if let Some(header) = operation.header_key.filter(|_| !shared.credentials.has_header_key()) {
            let problem = format!(
                "{} requires the header {header}, but no header key is set; call `header_key` on the builder, or set \
                 BDC_HEADER_KEY",
                operation.id
            );
            return Err(Error::invalid(problem));
        }
        // A deadline that overflows `Instant` means no deadline.
        let deadline = self.timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let mut sent_before = false;
        let mut delay = FIRST_DELAY;
        for attempt in 1.. {
            let span = tracing::debug_span!("call", operation = operation.id, attempt, status = Empty);
            let result = attempt::send(shared, &self.request, deadline).instrument(span.clone()).await;
            let result = result.map_err(|error| if sent_before { error.after_a_sent_attempt() } else { error });
            record(&span, &result);
            sent_before |= result.as_ref().is_err_and(Error::is_outcome_unknown);
            let retry = matches!(&result, Err(error) if attempt < shared.max_attempts && self.may_retry(error));
            let in_time = deadline.is_none_or(|deadline| Instant::now() + delay < deadline);
            if !(retry && in_time) {
                return result;
            }
            sleep(delay).await;
            delay = (delay * 2).min(LONGEST_DELAY);
        }
        unreachable!("the attempts end at the limit")
    }

    /// A write is retried only when it was provably never sent, a read after any transport failure.
    fn may_retry(&self, error: &Error) -> bool {
        error.is_never_sent() || (self.idempotent && error.is_outcome_unknown())
    }
}

/// The delay before the second attempt; each further one is twice as long, up to the longest.
const FIRST_DELAY: Duration = Duration::from_millis(100);
const LONGEST_DELAY: Duration = Duration::from_secs(5);

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
            .field("timeout", &self.timeout)
            .field("idempotent", &self.idempotent)
            .finish_non_exhaustive()
    }
}
