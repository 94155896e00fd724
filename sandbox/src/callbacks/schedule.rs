//! Which callbacks an executed request gets, and when each is due.

use std::time::Duration;

use rusqlite::Connection;
use serde_json::{json, value::RawValue};

use crate::{
    clock::now,
    faults::Fault,
    state::State,
    store::{
        Result,
        callbacks::{Hold, NewCallback, add_callback},
        tables::Queued,
    },
};

/// How long a reordered callback waits for another one to overtake it.
const REORDER_TIMEOUT: Duration = Duration::from_secs(60);

/// Adds the callback of a request that named a webhook, as its fault demands.
pub(crate) fn schedule(db: &Connection, state: &State, request: &Queued, response: &RawValue) -> Result<()> {
    let Some(webhook) = &request.webhook else { return Ok(()) };
    let (now, direction) = (now(), state.tag(&request.operation));
    let callback = NewCallback {
        operation: &request.operation,
        direction: &direction,
        webhook,
        uid: request.uid.as_deref(),
        signature: request.signature.as_deref(),
        response,
        created: now,
    };
    match request.fault.as_ref().and_then(|fault| fault.parse().ok()) {
        Some(Fault::CallbackDuplicate) => {
            add_callback(db, &callback, Some(now), Hold::None)?;
            add_callback(db, &callback, Some(now), Hold::None)?;
        }
        Some(Fault::CallbackLate(millis)) => {
            add_callback(db, &callback, Some(state.clock.after(Duration::from_millis(millis))), Hold::None)?;
        }
        Some(Fault::CallbackReordered) => {
            add_callback(db, &callback, Some(state.clock.after(REORDER_TIMEOUT)), Hold::UntilOvertaken)?;
        }
        Some(Fault::CallbackInterim) => {
            let interim = RawValue::from_string(json!({ "error": null, "hardrefreshing": true }).to_string())?;
            let interim = NewCallback { response: &interim, ..callback };
            let interim = add_callback(db, &interim, Some(now), Hold::None)?;
            add_callback(db, &callback, None, Hold::UntilFinished(interim))?;
        }
        _ => {
            add_callback(db, &callback, Some(now), Hold::None)?;
        }
    }
    Ok(())
}
