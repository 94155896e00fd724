//! Carries queued requests out, in their order.

use std::{sync::Weak, time::Duration};

use rusqlite::Connection;
use serde_json::{json, value::RawValue};

use crate::{
    Fault,
    callback::Callback,
    clock::{millis, now},
    effect,
    service::Service,
    store::{
        callbacks::{self, Behind},
        tables::{self, Queued},
    },
};

/// How many requests are carried out in one go, so that others get their turn.
const BATCH: usize = 100;

/// Carries out what is queued, until the sandbox is gone.
pub(crate) async fn run(service: Weak<Service>) {
    loop {
        let Some(alive) = service.upgrade() else { return };
        let shared = alive.clone();
        let done = alive.store.run(move |db| some(db, &shared)).await;
        let changed = alive.queue_changed.clone();
        match done {
            Ok(0) => {}
            Ok(_) => {
                alive.callbacks_changed.notify_one();
                continue;
            }
            // It stays queued, and is tried again with the next request.
            Err(error) => tracing::error!(%error, "the queue cannot be carried out"),
        }
        drop(alive);
        changed.notified().await;
    }
}

/// Carries out all that is queued.
pub(crate) fn queue(db: &Connection, service: &Service) -> rusqlite::Result<()> {
    while some(db, service)? > 0 {}
    Ok(())
}

fn some(db: &Connection, service: &Service) -> rusqlite::Result<usize> {
    let queued = tables::next_queued(db, BATCH)?;
    for request in &queued {
        one(db, service, request)?;
        tables::dequeue(db, request.seq)?;
    }
    Ok(queued.len())
}

/// Carries one request out, adds its callback, and gives what came of it. One that fails says so in its callback, and
/// leaves nothing else behind.
pub(crate) fn one(db: &Connection, service: &Service, request: &Queued) -> rusqlite::Result<Box<RawValue>> {
    db.prepare_cached("SAVEPOINT request")?.execute([])?;
    let result = effect::carry_out(db, request, &service.around(&request.operation));
    if result.is_err() {
        db.prepare_cached("ROLLBACK TO request")?.execute([])?;
    }
    db.prepare_cached("RELEASE request")?.execute([])?;
    let response = match result {
        Ok(response) => response,
        Err(error) => {
            tracing::error!(operation = request.operation, %error, "not carried out");
            let response = json!({ "error": true, "message": error.to_string() }).to_string();
            RawValue::from_string(response).map_err(|e| rusqlite::Error::ToSqlConversionFailure(e.into()))?
        }
    };
    add_callbacks(db, service, request, &response)?;
    Ok(response)
}

fn add_callbacks(db: &Connection, service: &Service, request: &Queued, response: &RawValue) -> rusqlite::Result<()> {
    let Some(webhook) = &request.webhook else { return Ok(()) };
    let now = now();
    let callback = |response: &RawValue| Callback {
        id: 0,
        operation: request.operation.clone(),
        direction: service.group(&request.operation),
        webhook: webhook.clone(),
        uid: request.uid.clone(),
        signature: request.signature.clone(),
        response: response.to_owned(),
        created: now,
        attempts: 0,
    };
    let after = |wait| now.saturating_add(millis(service.clock.scaled(wait)));
    let whole = callback(response);
    let add = |callback: &Callback, due, behind| callbacks::add_callback(db, callback, due, behind);
    match request.fault.as_ref().and_then(|fault| fault.parse().ok()) {
        Some(Fault::CallbackDuplicate) => {
            add(&whole, Some(now), Behind::Nothing)?;
            add(&whole, Some(now), Behind::Nothing)
        }
        Some(Fault::CallbackLate(wait)) => add(&whole, Some(after(Duration::from_millis(wait))), Behind::Nothing),
        Some(Fault::CallbackReordered) => add(&whole, Some(after(Duration::from_secs(60))), Behind::Another),
        Some(Fault::CallbackInterim) => {
            let interim = json!({ "error": null, "hardrefreshing": true }).to_string();
            let interim =
                RawValue::from_string(interim).map_err(|e| rusqlite::Error::ToSqlConversionFailure(e.into()))?;
            let first = add(&callback(&interim), Some(now), Behind::Nothing)?;
            add(&whole, None, Behind::This(first))
        }
        _ => add(&whole, Some(now), Behind::Nothing),
    }?;
    Ok(())
}
