//! The steps of a worker, one by one. What runs them, and when, is not decided here.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, PoisonError},
};

use business_data_connector::{OPERATIONS, callback::Callback};
use tokio::sync::broadcast;

use super::{
    answer::{Answer, shortened},
    body, crash, decide, found,
    transport::Transport,
};
use crate::{
    Event, OutboxError,
    options::Options,
    store::{Addresses, Applied, Arrival, Batch, Check, Claim, Limits, Maintenance, Settlement, Store},
    time::{Clock, millis},
};

/// What the tasks of a worker share.
pub struct Core {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) transport: Arc<dyn Transport>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) options: Options,
    pub(crate) events: broadcast::Sender<Event>,
    pub(crate) random: Mutex<fastrand::Rng>,
}

impl Core {
    /// Stores what became of a batch, and claims the next one.
    ///
    /// # Errors
    /// If the store fails; the batch is still to be settled then.
    pub async fn advance(&self, settled: Option<Settlement>, claim: bool) -> Result<Option<Batch>, OutboxError> {
        let limits = Limits { records: self.options.batch_records, bytes: self.options.batch_bytes };
        let claim = claim.then(|| Claim { limits, addresses: self.addresses(), lease: self.options.lease() });
        let (events, batch) = self.store.advance(self.clock.now(), settled, claim).await?;
        self.publish(events);
        if batch.is_some() {
            crash::point("after-sending-committed");
        }
        Ok(batch)
    }

    /// Sends a batch.
    pub async fn send(&self, batch: &Batch) -> Settlement {
        let answer = match body::request(batch) {
            Ok(request) => self.transport.send(request).await,
            Err(problem) => Answer::Invalid(problem),
        };
        crash::point("after-answer");
        if matches!(answer, Answer::NotTheService(_) | Answer::Unauthorized(_) | Answer::Misconfigured(_)) {
            let (operation, answer) = (batch.operation.id, answer.kind());
            tracing::error!(operation, answer, "everything is paused until `resume` is called; `pauses` says why");
        }
        self.settlement(batch, answer)
    }

    /// Does not send a batch, which is queued again unless its lease has ended.
    pub fn give_back(&self, batch: &Batch) -> Settlement {
        tracing::warn!(operation = batch.operation.id, "a request was not sent, since its turn came too late");
        self.settlement(batch, Answer::NeverSent("its turn came too late".to_owned()))
    }

    fn settlement(&self, batch: &Batch, answer: Answer) -> Settlement {
        let random = self.random.lock().unwrap_or_else(PoisonError::into_inner).f64();
        let verdict = decide::verdict(batch, answer, &self.options, self.clock.now(), random);
        Settlement { send: batch.address.id, uid: batch.uid.clone(), verdict }
    }

    /// Applies a callback.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn arrived(&self, callback: &Callback) -> Result<Applied, OutboxError> {
        if callback.is_interim() {
            return Ok(Applied::Known);
        }
        let failed = callback.is_failure();
        let found = if failed { None } else { returned(callback) };
        let now = self.clock.now();
        // A callback that reports a failure is followed by a check soon, a pull by another one after quiet time.
        let delay = if found.is_some() { self.options.quiet } else { self.options.check_after };
        let arrival = Arrival {
            send: callback.id(),
            failed,
            message: callback.message().map(shortened),
            found,
            check_at: now.saturating_add(millis(delay)),
            resend_absent: self.options.resend_absent,
        };
        let (events, applied) = self.store.arrived(now, arrival).await?;
        self.publish(events);
        crash::point("after-callback-applied");
        Ok(applied)
    }

    /// Makes what an earlier process left sending unknown.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn recover(&self) -> Result<(), OutboxError> {
        let now = self.clock.now();
        let check_at =
            now.saturating_add(millis(self.options.call_limit)).saturating_add(millis(self.options.check_after));
        let events = self.store.recover(now, check_at).await?;
        if !events.is_empty() {
            tracing::warn!(requests = events.len(), "were being sent when the last worker ended; they are unknown now");
        }
        self.publish(events);
        Ok(())
    }

    /// Does what time alone requires.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn maintain(&self) -> Result<(), OutboxError> {
        let Options { unconfirmed_after, keep, .. } = &self.options;
        let maintenance = Maintenance { unconfirmed_after: *unconfirmed_after, keep: keep.clone(), limit: 1_000 };
        let events = self.store.maintain(self.clock.now(), maintenance).await?;
        self.publish(events);
        Ok(())
    }

    /// Begins a pull, if one is due.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn begin_check(&self) -> Result<Option<Check>, OutboxError> {
        let now = self.clock.now();
        let wait = self.options.call_limit.saturating_add(self.options.quiet);
        self.store.begin_check(now, now.saturating_add(millis(wait)), self.addresses()).await
    }

    /// Sends a pull. What it returns arrives as a callback; if it fails, it is due again later.
    pub async fn send_check(&self, check: &Check) {
        let uid = serde_json::Value::from(check.uid.as_str());
        let request = body::with_address(check.operation, &check.address, &format!(r#"{{"uid":{uid}}}"#));
        let answer = match request {
            Ok(request) => {
                let stored = business_data_connector::Stored::from_parts(check.operation.id, request);
                self.transport.send(stored).await
            }
            Err(problem) => Answer::Invalid(problem),
        };
        if answer != Answer::Taken {
            tracing::warn!(
                operation = check.operation.id,
                uid = check.uid,
                answer = answer.kind(),
                "a pull failed, and is repeated later"
            );
        }
    }

    fn addresses(&self) -> Addresses {
        let transport = self.transport.clone();
        Arc::new(move |operation, uid| transport.address(operation, uid))
    }

    pub(crate) fn publish(&self, events: Vec<Event>) {
        for event in events {
            tracing::debug!(
                number = event.number,
                operation = event.operation,
                uid = event.uid,
                record = event.record_id,
                from = event.from.as_str(),
                to = event.to.as_str(),
                "moved"
            );
            #[cfg(feature = "metrics")]
            metrics::counter!("bdc_outbox_transitions_total", "to" => event.to.as_str()).increment(1);
            // Nobody may listen.
            let _ = self.events.send(event);
        }
    }
}

/// The identifiers that a pull returned; `None` for the callback of another operation, or if they cannot be read.
fn returned(callback: &Callback) -> Option<HashSet<String>> {
    let pull = callback.operation_id();
    let mut facts = OPERATIONS.iter().filter_map(|operation| operation.record);
    let facts = facts.find(|record| record.pulled_by == Some(pull))?;
    found::identifiers(callback.response_bytes()?, facts.id).ok()
}
