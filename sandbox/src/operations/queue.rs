//! Executes queued requests in order.

use std::sync::{Arc, Weak};

use rusqlite::Connection;
use serde_json::{json, value::RawValue};

use super::effects::{self, Context, UPLOAD_LIFETIME};
use crate::{
    callbacks::schedule::schedule,
    state::State,
    store::{
        Result,
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
        match state.store.run(move |db| execute_batch(db, &shared)).await {
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

/// Executes every queued request.
pub(crate) fn drain_queue(db: &Connection, state: &State) -> Result<()> {
    while execute_batch(db, state)? > 0 {}
    Ok(())
}

fn execute_batch(db: &Connection, state: &State) -> Result<usize> {
    let queued = tables::next_queued(db, BATCH)?;
    for request in &queued {
        execute(db, state, request)?;
        tables::dequeue(db, request.seq)?;
    }
    Ok(queued.len())
}

/// Executes a request, schedules its callback, and returns the callback's response. A failed execution is reported by
/// that response, and leaves nothing else behind.
pub(crate) fn execute(db: &Connection, state: &State, request: &Queued) -> Result<Box<RawValue>> {
    let context = Context {
        layout: state.layouts.get(&request.operation),
        uploaded: &state.uploaded,
        base_url: &state.base_url,
        upload_expires: state.clock.after(UPLOAD_LIFETIME),
    };
    db.prepare_cached("SAVEPOINT request")?.execute([])?;
    let result = effects::execute(db, request, &context);
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
