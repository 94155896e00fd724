//! Delivers callbacks, and retries those that were not accepted. Each attempt is a task of its own, and each receiver
//! has its own number of permits, so that a slow or dead receiver delays no other.

use std::{
    collections::HashMap,
    error::Error,
    net::IpAddr,
    sync::{Arc, Weak},
    time::Duration,
};

use axum::{
    body::Bytes,
    http::{Request, Uri, header::CONTENT_TYPE},
};
use http_body_util::{BodyExt, Full, Limited};
use hyper_util::{
    client::legacy::{self, connect::HttpConnector},
    rt::TokioExecutor,
};
use tokio::{sync::Semaphore, task::JoinSet, time::timeout};

use super::payload::payload;
use crate::{
    clock::now,
    limits::RECEIVER_TIMEOUT,
    state::State,
    store::{
        Result,
        callbacks::{self, AttemptOutcome, Callback},
    },
};

/// The waits before each retry, as observed in deployed services; after the last retry the callback is discarded.
const RETRY_WAITS: [Duration; 4] =
    [Duration::from_secs(10), Duration::from_secs(150), Duration::from_secs(30 * 60), Duration::from_secs(6 * 60 * 60)];

/// How many bytes of a receiver's reply are read; a longer reply closes the connection.
const MAX_REPLY: usize = 64 * 1024;

/// How many callbacks are delivered to one receiver at the same time; more wait.
const PERMITS: usize = 32;

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
        self.permits.retain(|_, permits| permits.available_permits() < PERMITS);
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
                let permits = self.permits.entry(receiver(&callback.webhook));
                let permits = permits.or_insert_with(|| Arc::new(Semaphore::new(PERMITS))).clone();
                self.attempts.spawn(attempt(state.clone(), self.client.clone(), permits, callback));
            }
            if !full {
                let next = state.store.run(callbacks::next_due).await?;
                return Ok(next.map(|due| Duration::from_millis(due.saturating_sub(now).max(1).unsigned_abs())));
            }
        }
    }
}

/// The host and port of a webhook.
fn receiver(webhook: &str) -> String {
    let authority = webhook.parse::<Uri>().ok().and_then(|uri| uri.authority().map(ToString::to_string));
    authority.unwrap_or_default()
}

async fn attempt(state: Arc<State>, client: Client, permits: Arc<Semaphore>, callback: Callback) {
    // The semaphore is never closed.
    let _permit = permits.acquire().await.ok();
    // The sandbox may have been reset meanwhile.
    let id = callback.id;
    if !state.store.run(move |db| callbacks::exists(db, id)).await.unwrap_or(false) {
        return;
    }
    let operation = callback.operation.as_str();
    let outcome = match timeout(RECEIVER_TIMEOUT, post(&state, &client, &callback)).await {
        Ok(Ok(status)) => {
            AttemptOutcome { delivered: (200..300).contains(&status), message: format!("replied {status}") }
        }
        Ok(Err(message)) => AttemptOutcome { delivered: false, message },
        Err(_) => {
            AttemptOutcome { delivered: false, message: format!("no reply within {} s", RECEIVER_TIMEOUT.as_secs()) }
        }
    };
    let wait = RETRY_WAITS.get(callback.attempts as usize).filter(|_| !outcome.delivered);
    let next = wait.map(|wait| state.clock.after(*wait));
    let message = outcome.message.as_str();
    match (outcome.delivered, next) {
        (true, _) => tracing::info!(operation, outcome = message, "callback delivered"),
        (false, Some(_)) => tracing::warn!(operation, outcome = message, "callback not delivered; it will be retried"),
        (false, None) => tracing::warn!(operation, outcome = message, "callback not delivered; it is discarded"),
    }
    let now = now();
    let stored = state.store.run(move |db| callbacks::add_attempt(db, callback.id, now, &outcome, next));
    if let Err(error) = stored.await {
        tracing::error!(%error, "cannot store a delivery attempt");
    }
    state.callbacks_changed.notify_one();
}

async fn post(state: &State, client: &Client, callback: &Callback) -> Result<u16, String> {
    let address = callable(&callback.webhook, state.remote_callbacks)?;
    let body = payload(&state.document, callback).map_err(|e| e.to_string())?;
    let request = Request::post(address).header(CONTENT_TYPE, "application/json").body(Full::new(body.into()));
    let reply = client.request(request.map_err(|e| e.to_string())?).await.map_err(|e| with_causes(&e))?;
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

/// The address of a webhook, if the sandbox may call it.
fn callable(webhook: &str, remote: bool) -> Result<Uri, String> {
    let address: Uri = webhook.parse().map_err(|e| format!("the webhook is not a URL: {e}"))?;
    if address.scheme_str() != Some("http") {
        return Err("the webhook does not begin with http://, which is all that the sandbox supports".to_owned());
    }
    let host = address.host().unwrap_or_default().trim_matches(['[', ']']);
    let local = host.eq_ignore_ascii_case("localhost") || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
    if local || remote {
        return Ok(address);
    }
    Err("the webhook is not on this machine; start the sandbox with --allow-remote-callbacks to call it".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_machines_are_called_when_allowed_but_only_over_http() {
        assert!(callable("http://192.0.2.1/", true).is_ok());
        assert!(callable("https://192.0.2.1/", true).is_err());
    }

    #[test]
    fn by_default_only_this_machine_is_called() {
        for webhook in ["http://127.0.0.1:1/a?b", "http://127.9.9.9/", "http://LocalHost:1", "http://[::1]:1/"] {
            assert!(callable(webhook, false).is_ok(), "{webhook}");
        }
        for webhook in [
            "",
            "nonsense",
            "/hook",
            "https://127.0.0.1/",
            "ftp://127.0.0.1/",
            "http://192.0.2.1/",
            "http://0.0.0.0/",
            "http://127.0.0.1.example.com/",
            "http://localhost.example.com/",
            "http://127.0.0.1@192.0.2.1/",
        ] {
            assert!(callable(webhook, false).is_err(), "{webhook}");
        }
    }
}
