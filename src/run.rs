//! Runs a call: its attempts, the delays between them, and what is logged.

use std::{sync::Arc, time::Duration};

use tokio::time::{Instant, sleep};
use tracing::{Instrument, Span, field::Empty};

use crate::{Effect, Error, Reply, Request, Retry, RetryPolicy, attempt, error::cause_text, shared::Shared};

/// A request with the settings of its call.
pub(crate) struct Prepared<R> {
    pub(crate) shared: Arc<Shared>,
    pub(crate) request: R,
    pub(crate) timeout: Option<Duration>,
    pub(crate) policy: RetryPolicy,
    pub(crate) idempotent: bool,
}

pub(crate) async fn run<R: Request>(call: Prepared<R>) -> Result<Reply, Error> {
    let span = tracing::debug_span!("call", operation = R::OPERATION.id, attempts = Empty, status = Empty);
    attempts(&call, &span).instrument(span.clone()).await
}

async fn attempts<R: Request>(call: &Prepared<R>, span: &Span) -> Result<Reply, Error> {
    let (operation, shared) = (R::OPERATION, &call.shared);
    if let Some(header) = operation.header_key.filter(|_| shared.credentials.header_key().is_none()) {
        let problem = format!(
            "{} requires the header {header}, but no header key is set; call `header_key` on the builder, or set \
             BDC_HEADER_KEY",
            operation.id
        );
        return Err(Error::invalid(problem));
    }
    let begun = Instant::now();
    // A deadline that overflows `Instant` means no deadline.
    let deadline = call.timeout.and_then(|timeout| begun.checked_add(timeout));
    let idempotent = call.idempotent || operation.effect == Effect::Read;
    let mut delays = call.policy.delays();
    let mut sent_before = false;
    let mut attempt = 1;
    loop {
        let result = attempt::send(shared, &call.request, deadline).await;
        let result = result.map_err(|error| if sent_before { error.after_a_sent_attempt() } else { error });
        sent_before |= result.as_ref().is_err_and(Error::is_outcome_unknown);
        let log = Log { operation: operation.id, attempt, begun };
        let error = match result {
            Ok(reply) => {
                log.finish(span, Some(&reply));
                tracing::debug!("replied");
                return Ok(reply);
            }
            Err(error) => error,
        };
        let least = call.policy.least_delay(&error, idempotent).filter(|_| call.policy.may_retry_after(attempt));
        let delay = least.map(|least| delays.next().unwrap_or_default().max(least));
        let in_time = |delay| deadline.is_none_or(|deadline| Instant::now() + delay < deadline);
        let Some(delay) = delay.filter(|delay| in_time(*delay)) else {
            log.finish(span, error.reply());
            log.failed(&error);
            return Err(error);
        };
        log.retrying(&error, delay.as_millis());
        if !delay.is_zero() {
            sleep(delay).await;
        }
        attempt += 1;
    }
}

/// What the events of a call have in common.
struct Log {
    operation: &'static str,
    attempt: u32,
    begun: Instant,
}

impl Log {
    fn finish(&self, span: &Span, reply: Option<&Reply>) {
        span.record("attempts", self.attempt);
        if let Some(reply) = reply {
            span.record("status", reply.status().as_u16());
        }
    }

    fn elapsed_ms(&self) -> u128 {
        self.begun.elapsed().as_millis()
    }

    fn retrying(&self, error: &Error, delay_ms: u128) {
        let Self { operation, attempt, .. } = *self;
        tracing::info!(operation, attempt, delay_ms, elapsed_ms = self.elapsed_ms(), cause = cause(error), %error, "retrying");
    }

    fn failed(&self, error: &Error) {
        let Self { operation, attempt, .. } = *self;
        let (elapsed_ms, cause) = (self.elapsed_ms(), cause(error));
        match error.retry() {
            Retry::CheckFirst => tracing::warn!(operation, attempt, elapsed_ms, cause, %error, "outcome unknown"),
            _ => tracing::debug!(operation, attempt, elapsed_ms, cause, %error, "failed"),
        }
    }
}

/// What the transport reported, if it failed.
fn cause(error: &Error) -> Option<String> {
    match error {
        Error::NeverSent { source, .. } | Error::OutcomeUnknown { source, .. } => Some(cause_text(source)),
        _ => None,
    }
}
