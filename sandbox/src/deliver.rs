//! Delivers callbacks, and tries again those that were not taken. Each is on a task of its own, so that a receiver that is
//! slow or dead delays nobody else's.

use std::{
    error::Error,
    net::IpAddr,
    sync::{Arc, Weak},
    time::Duration,
};

use axum::{
    body::Bytes,
    http::{Request, Uri, header::CONTENT_TYPE},
};
use http_body_util::{BodyExt, Full};
use hyper_util::{
    client::legacy::{self, connect::HttpConnector},
    rt::TokioExecutor,
};
use tokio::time::timeout;

use crate::{
    callback::Callback,
    clock::{millis, now},
    sandbox::Service,
    store::{StoreError, tables},
};

/// Calls webhooks: plain HTTP, no redirects.
pub(crate) type Client = legacy::Client<HttpConnector, Full<Bytes>>;

/// The waits between attempts, as deployed services were seen to have them; after the last the data is discarded.
const WAITS: [Duration; 4] =
    [Duration::from_secs(10), Duration::from_secs(150), Duration::from_secs(30 * 60), Duration::from_secs(6 * 60 * 60)];

/// How long a receiver may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// How many callbacks are taken up at once.
const BATCH: usize = 256;

pub(crate) fn client() -> Client {
    legacy::Client::builder(TokioExecutor::new()).build_http()
}

/// Delivers what is due, until the sandbox is gone.
pub(crate) async fn run(service: Weak<Service>) {
    loop {
        let Some(alive) = service.upgrade() else { return };
        let next = match take_up(&alive).await {
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
async fn take_up(service: &Arc<Service>) -> Result<Option<Duration>, StoreError> {
    loop {
        let now = now();
        // Longer than an attempt takes; should it never be noted, the callback is due again.
        let lease = now.saturating_add(millis(PATIENCE) * 2);
        let due = service.store.run(move |db| {
            let due = tables::due_callbacks(db, now, BATCH)?;
            due.iter().try_for_each(|callback| tables::postpone(db, callback.id, lease))?;
            Ok(due)
        });
        let due = due.await?;
        let full = due.len() == BATCH;
        for callback in due {
            tokio::spawn(attempt(service.clone(), callback));
        }
        if !full {
            let next = service.store.run(tables::next_due).await?;
            return Ok(next.map(|due| Duration::from_millis(due.saturating_sub(now).max(1).unsigned_abs())));
        }
    }
}

async fn attempt(service: Arc<Service>, callback: Callback) {
    let operation = callback.operation.as_str();
    let taken = match timeout(PATIENCE, post(&service.client, &callback)).await {
        Ok(Ok(status)) if (200..300).contains(&status) => {
            tracing::info!(operation, status, "callback delivered");
            true
        }
        Ok(Ok(status)) => {
            tracing::warn!(operation, status, "callback refused by its receiver");
            false
        }
        Ok(Err(problem)) => {
            tracing::warn!(operation, problem, "callback not delivered");
            false
        }
        Err(_) => {
            tracing::warn!(operation, "callback not answered in time");
            false
        }
    };
    let wait = WAITS.get(callback.attempts as usize).filter(|_| !taken);
    let next = wait.map(|wait| now().saturating_add(millis(service.clock.scaled(*wait))));
    if !taken && next.is_none() {
        tracing::warn!(operation, "callback discarded");
    }
    if let Err(error) = service.store.run(move |db| tables::note_attempt(db, callback.id, next)).await {
        tracing::error!(%error, "an attempt cannot be noted");
    }
    service.callbacks_changed.notify_one();
}

async fn post(client: &Client, callback: &Callback) -> Result<u16, String> {
    let address = local(&callback.webhook)?;
    let body = callback.body().map_err(|e| e.to_string())?;
    let request = Request::post(address).header(CONTENT_TYPE, "application/json").body(Full::new(body.into()));
    let answer = client.request(request.map_err(|e| e.to_string())?).await.map_err(|e| with_causes(&e))?;
    let status = answer.status().as_u16();
    // Read to the end, so that the connection serves the next one.
    answer.into_body().collect().await.map_err(|e| with_causes(&e))?;
    Ok(status)
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

/// The webhook's address, if it is on this machine.
fn local(webhook: &str) -> Result<Uri, String> {
    let address: Uri = webhook.parse().map_err(|e| format!("the webhook is not an address: {e}"))?;
    let host = address.host().unwrap_or_default().trim_matches(['[', ']']);
    let loopback = host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
    if address.scheme_str() == Some("http") && loopback {
        return Ok(address);
    }
    Err("the webhook is not http:// on this machine, and the sandbox calls no other".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_machine_is_called_back() {
        for webhook in ["http://127.0.0.1:1/a?b", "http://127.9.9.9/", "http://localhost:1", "http://[::1]:1/"] {
            assert!(local(webhook).is_ok(), "{webhook}");
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
            assert!(local(webhook).is_err(), "{webhook}");
        }
    }
}
