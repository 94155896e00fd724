//! Delivers callbacks, and retries those that were not accepted. Each attempt is a task of its own, and each receiver
//! has its own number of permits, so that a slow or dead receiver delays no other.

use std::{
    collections::HashMap,
    error::Error,
    sync::{Arc, Weak},
    time::Duration,
};

use axum::{
    body::Bytes,
    http::{
        Request, Uri,
        header::{CONTENT_TYPE, USER_AGENT},
    },
};
use business_data_connector_document::Document;
use http_body_util::{BodyExt, Full, Limited};
use hyper_util::{
    client::legacy::{self, connect::HttpConnector},
    rt::TokioExecutor,
};
use serde_json::value::RawValue;
use tokio::{
    sync::Semaphore,
    task::JoinSet,
    time::{sleep, timeout},
};

use super::{
    payload::payload,
    webhook::{self, callable},
};
use crate::{
    clock::now,
    limits::RECEIVER_TIMEOUT,
    state::State,
    store::{
        Result, StoreError,
        callbacks::{self, AttemptOutcome, Callback},
        responses,
    },
};

/// The waits before each retry, as observed in deployed services; after the last retry the callback is discarded.
const RETRY_WAITS: [Duration; 4] =
    [Duration::from_secs(10), Duration::from_secs(150), Duration::from_secs(30 * 60), Duration::from_secs(6 * 60 * 60)];

/// How many bytes of a receiver's reply are read; a longer reply closes the connection.
const MAX_REPLY: usize = 64 * 1024;

/// How many callbacks are delivered to one receiver at the same time; more wait. A large one counts as several, so that
/// little of what waits for a receiver is in memory.
const PERMITS: u32 = 32;

/// How many bytes of a response count as one more callback.
const SIZE_PER_PERMIT: i64 = 256 * 1024;

/// How many due callbacks are read at once.
const BATCH: usize = 256;

/// Plain HTTP, which follows no redirects.
type Client = legacy::Client<HttpConnector, Full<Bytes>>;

/// What delivery keeps between callbacks.
struct Delivery {
    client: Client,
    /// The permits of each receiver, by its host and port.
    permits: HashMap<String, Arc<Semaphore>>,
    /// The attempts in progress, which are aborted when the set is dropped.
    attempts: JoinSet<()>,
}

/// Delivers callbacks when they are due, until the sandbox is dropped.
pub(crate) async fn run(state: Weak<State>) {
    let client = legacy::Client::builder(TokioExecutor::new()).build_http();
    let mut delivery = Delivery { client, permits: HashMap::new(), attempts: JoinSet::new() };
    loop {
        let Some(state) = state.upgrade() else { return };
        while delivery.attempts.try_join_next().is_some() {}
        let next = match delivery.start_due(&state).await {
            Ok(next) => next,
            Err(error) => {
                tracing::error!(%error, "cannot read callbacks; retrying");
                Some(RECEIVER_TIMEOUT)
            }
        };
        let changed = state.callbacks_changed.clone();
        drop(state);
        match next {
            Some(wait) => _ = timeout(wait, changed.notified()).await,
            None => changed.notified().await,
        }
    }
}

impl Delivery {
    /// Starts the delivery of everything that is due, and returns how long nothing else will be.
    async fn start_due(&mut self, state: &Arc<State>) -> Result<Option<Duration>> {
        self.permits.retain(|_, permits| permits.available_permits() < PERMITS as usize);
        loop {
            let now = now();
            let due = state.store.run(move |db| {
                let due = callbacks::due_callbacks(db, now, BATCH)?;
                due.iter().try_for_each(|callback| callbacks::mark_in_progress(db, callback.id))?;
                Ok(due)
            });
            let due = due.await?;
            let full = due.len() == BATCH;
            for callback in due {
                let permits = self.permits.entry(receiver(state, &callback.webhook));
                let permits = permits.or_insert_with(|| Arc::new(Semaphore::new(PERMITS as usize))).clone();
                self.attempts.spawn(attempt(state.clone(), self.client.clone(), permits, callback));
            }
            if !full {
                let next = state.store.run(callbacks::next_due).await?;
                return Ok(next.map(|due| Duration::from_millis(due.saturating_sub(now).max(1).unsigned_abs())));
            }
        }
    }
}

/// The host and port that a webhook is called at; the same for all that are never called.
fn receiver(state: &State, webhook: &str) -> String {
    let address = callable(webhook, state.listen, state.remote_callbacks).ok();
    address.and_then(|address| address.authority().map(ToString::to_string)).unwrap_or_default()
}

/// How many of a receiver's permits the delivery of a callback takes.
fn cost(size: i64) -> u32 {
    u32::try_from(1 + size / SIZE_PER_PERMIT).unwrap_or(PERMITS).clamp(1, PERMITS)
}

/// How an attempt ended, and whether a retry could end differently.
struct Ended {
    outcome: AttemptOutcome,
    may_be_retried: bool,
}

async fn attempt(state: Arc<State>, client: Client, permits: Arc<Semaphore>, callback: Callback) {
    // The semaphore is never closed.
    let _permits = permits.acquire_many(cost(callback.size)).await.ok();
    let operation = callback.operation.as_str();
    let Ended { outcome, may_be_retried } = match callable(&callback.webhook, state.listen, state.remote_callbacks) {
        Ok(address) => match call(&state, &client, address, &callback).await {
            Some(outcome) => Ended { outcome, may_be_retried: true },
            // The sandbox was reset meanwhile.
            None => return,
        },
        Err(message) => Ended { outcome: AttemptOutcome { delivered: false, message }, may_be_retried: false },
    };
    let wait = RETRY_WAITS.get(callback.attempts as usize).filter(|_| may_be_retried && !outcome.delivered);
    let next = wait.map(|wait| state.clock.after(*wait));
    let message = outcome.message.as_str();
    match (outcome.delivered, next) {
        (true, _) => tracing::info!(operation, outcome = message, "callback delivered"),
        (false, Some(_)) => tracing::warn!(operation, outcome = message, "callback not delivered; it will be retried"),
        (false, None) => tracing::warn!(operation, outcome = message, "callback not delivered; it is discarded"),
    }
    record(&state, callback.id, outcome, next).await;
    state.callbacks_changed.notify_one();
}

/// Stores how an attempt ended. While that fails, as on a full disk, the callback waits for it.
async fn record(state: &State, id: i64, outcome: AttemptOutcome, next: Option<i64>) {
    let (now, keep, outcome) = (now(), state.retention.callbacks, Arc::new(outcome));
    loop {
        let ended = outcome.clone();
        let stored = state.store.run(move |db| callbacks::add_attempt(db, id, now, &ended, next, keep));
        match stored.await {
            Ok(()) | Err(StoreError::Ended) => return,
            Err(error) => tracing::error!(%error, "cannot store a delivery attempt; retrying"),
        }
        sleep(RECEIVER_TIMEOUT).await;
    }
}

/// Calls a webhook, and says how that ended; `None` if the callback no longer exists.
async fn call(state: &State, client: &Client, address: Uri, callback: &Callback) -> Option<AttemptOutcome> {
    let id = callback.id;
    let response = match state.store.read(move |db| responses::response(db, id)).await {
        Ok(response) => response?,
        Err(error) => return Some(AttemptOutcome { delivered: false, message: error.to_string() }),
    };
    Some(match timeout(RECEIVER_TIMEOUT, post(client, &state.document, address, callback, response)).await {
        Ok(Ok(status)) => {
            AttemptOutcome { delivered: (200..300).contains(&status), message: format!("replied {status}") }
        }
        Ok(Err(message)) => AttemptOutcome { delivered: false, message },
        Err(_) => {
            AttemptOutcome { delivered: false, message: format!("no reply within {} s", RECEIVER_TIMEOUT.as_secs()) }
        }
    })
}

async fn post(
    client: &Client,
    document: &Document,
    address: Uri,
    callback: &Callback,
    response: Box<RawValue>,
) -> Result<u16, String> {
    let body = payload(document, callback, &response).map_err(|e| e.to_string())?;
    // It may be large, and the receiver slow.
    drop(response);
    let request =
        Request::post(address).header(CONTENT_TYPE, "application/json").header(USER_AGENT, webhook::USER_AGENT);
    let request = request.body(Full::new(body.into())).map_err(|e| e.to_string())?;
    let reply = client.request(request).await.map_err(|e| with_causes(&e))?;
    let (head, body) = reply.into_parts();
    // A body that is read to its end leaves a reusable connection. The outcome does not depend on it.
    tokio::spawn(timeout(RECEIVER_TIMEOUT, Limited::new(body, MAX_REPLY).collect()));
    Ok(head.status.as_u16())
}

fn with_causes(error: &dyn Error) -> String {
    let mut causes = vec![error.to_string()];
    let mut next = error.source();
    while let Some(cause) = next {
        causes.push(cause.to_string());
        next = cause.source();
    }
    causes.join(": ")
}
