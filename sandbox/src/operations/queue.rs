//! Executes queued requests in order.

use std::sync::{Arc, Weak};

use rusqlite::Connection;
use serde_json::{json, value::RawValue};

use super::effects::{self, Context, EffectError, UPLOAD_LIFETIME};
use crate::{
    callbacks::schedule::schedule,
    clock::{millis, now},
    state::State,
    store::{
        Result, StoreError,
        tables::{self, Queued},
    },
};

/// How many requests are executed in one transaction, so that others get their turn.
const BATCH: usize = 100;

/// Executes queued requests until the sandbox is dropped.
pub(crate) async fn run(state: Weak<State>) {
    loop {
        let Some(state) = state.upgrade() else { return };
        let shared = state.clone();
        match state.store.run(move |db| execute_batch(db, &shared, i64::MAX)).await {
            Ok(0) => {}
            Ok(_) => {
                state.callbacks_changed.notify_one();
                continue;
            }
            // The requests stay in the queue, and are tried again when the next one is added.
            Err(error) => tracing::error!(%error, "cannot execute the queue"),
        }
        let changed: Arc<_> = state.queue_changed.clone();
        drop(state);
        changed.notified().await;
    }
}

/// Executes every queued request, within one transaction.
pub(crate) fn drain_queue(db: &Connection, state: &State) -> Result<()> {
    while execute_batch(db, state, i64::MAX)? > 0 {}
    Ok(())
}

/// Executes every request that is queued now, so that what is read next shows it. Others get their turn meanwhile.
pub(crate) async fn settle(state: &Arc<State>) -> Result<()> {
    let last = state.store.run(tables::last_queued).await?;
    loop {
        let shared = state.clone();
        if state.store.run(move |db| execute_batch(db, &shared, last)).await? == 0 {
            return Ok(());
        }
        state.callbacks_changed.notify_one();
    }
}

/// Executes queued requests up to a number, and returns how many.
fn execute_batch(db: &Connection, state: &State, last: i64) -> Result<usize> {
    for executed in 0..BATCH {
        match tables::next_queued(db)?.filter(|request| request.seq <= last) {
            None => return Ok(executed),
            Some(request) => {
                execute(db, state, &request)?;
                tables::dequeue(db, request.seq)?;
            }
        }
    }
    Ok(BATCH)
}

/// Executes a request, schedules its callback, and returns the callback's response. A failed execution is reported by
/// that response, and leaves nothing else behind.
pub(crate) fn execute(db: &Connection, state: &State, request: &Queued) -> Result<Box<RawValue>> {
    let context = Context {
        layout: state.layouts.get(&request.operation),
        uploaded: &state.uploaded,
        base_url: request.base_url.as_deref().unwrap_or(&state.base_url),
        upload_expires: state.clock.after(UPLOAD_LIFETIME),
        uploads_kept_from: now().saturating_sub(millis(state.clock.scaled(state.retention.uploads))),
    };
    db.prepare_cached("SAVEPOINT request")?.execute([])?;
    let result = effects::execute(db, request, &context);
    if let Err(EffectError::Store(error @ StoreError::Sqlite(rusqlite::Error::SqliteFailure(..)))) = result {
        // This is not the result of the request, which stays in the queue. The job is rolled back.
        return Err(error);
    }
    if result.is_err() {
        db.prepare_cached("ROLLBACK TO request")?.execute([])?;
    }
    db.prepare_cached("RELEASE request")?.execute([])?;
    let response = match result {
        Ok(response) => response,
        Err(error) => {
            tracing::error!(operation = request.operation, %error, "not executed");
            RawValue::from_string(json!({ "error": true, "message": error.to_string() }).to_string())?
        }
    };
    schedule(db, state, request, &response)?;
    Ok(response)
}
