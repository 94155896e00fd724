//! Delivers callbacks, and tries again those that were not taken. Each is on a task of its own, and each receiver has a
//! number of places, so that one that is slow or dead delays nobody else's.

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

use crate::{
    callback::Callback,
    clock::{millis, now},
    service::Service,
    store::{
        StoreError,
        callbacks::{self, Attempted},
    },
};

/// Calls webhooks: plain HTTP, no redirects.
pub(crate) type Client = legacy::Client<HttpConnector, Full<Bytes>>;

/// The waits between attempts, as deployed services were seen to have them; after the last the data is discarded.
const WAITS: [Duration; 4] =
    [Duration::from_secs(10), Duration::from_secs(150), Duration::from_secs(30 * 60), Duration::from_secs(6 * 60 * 60)];

/// How long a receiver may take.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);

/// How much of an answer is read, in bytes; whoever sends more loses the connection.
const LONGEST_ANSWER: usize = 64 * 1024;

/// How many callbacks one receiver gets at the same time; more wait.
const PLACES: usize = 32;

/// The places of each receiver, by its address.
type Places = HashMap<String, Arc<Semaphore>>;

/// How many callbacks are taken up at once.
const BATCH: usize = 256;

pub(crate) fn client() -> Client {
    legacy::Client::builder(TokioExecutor::new()).build_http()
}

/// Delivers what is due, until the sandbox is gone.
pub(crate) async fn run(service: Weak<Service>) {
    let mut places = Places::new();
    // They end with this.
    let mut attempts = JoinSet::new();
    loop {
        let Some(alive) = service.upgrade() else { return };
        while attempts.try_join_next().is_some() {}
        let next = match take_up(&alive, &mut places, &mut attempts).await {
            Ok(next) => next,
            Err(error) => {
                tracing::error!(%error, "callbacks cannot be read");
                Some(PATIENCE)
            }
        };
        let notified = alive.callbacks_changed.clone();
        drop(alive);
        match next {
            Some(wait) => _ = timeout(wait, notified.notified()).await,
            None => notified.notified().await,
        }
    }
}

/// Starts the delivery of everything that is due, and tells how long nothing will be.
async fn take_up(
    service: &Arc<Service>,
    places: &mut Places,
    attempts: &mut JoinSet<()>,
) -> Result<Option<Duration>, StoreError> {
    places.retain(|_, places| places.available_permits() < PLACES);
    loop {
        let now = now();
        let due = service.store.run(move |db| {
            let due = callbacks::due_callbacks(db, now, BATCH)?;
            due.iter().try_for_each(|callback| callbacks::take_up(db, callback.id))?;
            Ok(due)
        });
        let due = due.await?;
        let full = due.len() == BATCH;
        for callback in due {
            let receiver =
                callback.webhook.parse::<Uri>().ok().and_then(|uri| uri.authority().map(ToString::to_string));
            let places = places.entry(receiver.unwrap_or_default()).or_insert_with(|| Arc::new(Semaphore::new(PLACES)));
            attempts.spawn(attempt(service.clone(), places.clone(), callback));
        }
        if !full {
            let next = service.store.run(callbacks::next_due).await?;
            return Ok(next.map(|due| Duration::from_millis(due.saturating_sub(now).max(1).unsigned_abs())));
        }
    }
}

async fn attempt(service: Arc<Service>, places: Arc<Semaphore>, callback: Callback) {
    // It is never closed.
    let _place = places.acquire().await.ok();
    // Meanwhile everything may have been forgotten.
    let id = callback.id;
    if !service.store.run(move |db| callbacks::exists(db, id)).await.unwrap_or(false) {
        return;
    }
    let operation = callback.operation.as_str();
    let outcome = match timeout(PATIENCE, post(&service, &callback)).await {
        Ok(Ok(status)) => Attempted { taken: (200..300).contains(&status), told: format!("answered {status}") },
        Ok(Err(problem)) => Attempted { taken: false, told: problem },
        Err(_) => Attempted { taken: false, told: format!("not answered within {} s", PATIENCE.as_secs()) },
    };
    let wait = WAITS.get(callback.attempts as usize).filter(|_| !outcome.taken);
    let now = now();
    let next = wait.map(|wait| now.saturating_add(millis(service.clock.scaled(*wait))));
    match (outcome.taken, next) {
        (true, _) => tracing::info!(operation, outcome = outcome.told, "callback delivered"),
        (false, Some(_)) => {
            tracing::warn!(operation, outcome = outcome.told, "callback not delivered, and tried again")
        }
        (false, None) => tracing::warn!(operation, outcome = outcome.told, "callback not delivered, and discarded"),
    }
    if let Err(error) = service.store.run(move |db| callbacks::note_attempt(db, callback.id, now, &outcome, next)).await
    {
        tracing::error!(%error, "an attempt cannot be noted");
    }
    service.callbacks_changed.notify_one();
}

async fn post(service: &Service, callback: &Callback) -> Result<u16, String> {
    let address = allowed(&callback.webhook, service.remote_callbacks)?;
    let body = callback.body().map_err(|e| e.to_string())?;
    let request = Request::post(address).header(CONTENT_TYPE, "application/json").body(Full::new(body.into()));
    let answer = service.client.request(request.map_err(|e| e.to_string())?).await.map_err(|e| with_causes(&e))?;
    let (head, body) = answer.into_parts();
    // What is read to its end leaves a connection that serves the next one. The outcome is told already, however it goes.
    tokio::spawn(timeout(PATIENCE, Limited::new(body, LONGEST_ANSWER).collect()));
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

/// The webhook's address, if it may be called.
fn allowed(webhook: &str, remote: bool) -> Result<Uri, String> {
    let address: Uri = webhook.parse().map_err(|e| format!("the webhook is not an address: {e}"))?;
    let host = address.host().unwrap_or_default().trim_matches(['[', ']']);
    let here = host.eq_ignore_ascii_case("localhost") || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
    if address.scheme_str() != Some("http") {
        return Err("the webhook does not begin with http://, and the sandbox speaks nothing else".to_owned());
    }
    if here || remote {
        return Ok(address);
    }
    Err("the webhook is not on this machine; --allow-remote-callbacks calls others too".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn others_are_called_when_that_is_allowed_and_never_by_another_way() {
        assert!(allowed("http://192.0.2.1/", true).is_ok());
        assert!(allowed("https://192.0.2.1/", true).is_err());
    }

    #[test]
    fn only_this_machine_is_called_back() {
        for webhook in ["http://127.0.0.1:1/a?b", "http://127.9.9.9/", "http://LocalHost:1", "http://[::1]:1/"] {
            assert!(allowed(webhook, false).is_ok(), "{webhook}");
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
            assert!(allowed(webhook, false).is_err(), "{webhook}");
        }
    }
}
