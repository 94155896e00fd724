//! Callbacks as they are shown: their progress, without secrets.

use std::sync::Arc;

use rusqlite::Connection;
use serde::Serialize;
use serde_json::{
    json,
    value::{RawValue, to_raw_value},
};

use crate::{
    clock::utc,
    spec::redaction::{Redaction, Unknown, without_query},
    state::State,
    store::{
        Result,
        callbacks::{CallbackRow, attempts, callbacks_before},
    },
};

/// A callback, and how far its delivery has come. It holds no secret.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # use business_data_connector::{Connector, types::IncomeRecord};
/// # use business_data_connector_sandbox::{CallbackState, DEMO_APIKEY, DEMO_APPID, DEMO_BUSINESS, Sandbox};
/// let sandbox = Sandbox::start().await?;
/// # let connector = Connector::builder().base_url(sandbox.base_url()).credentials(DEMO_APIKEY, DEMO_APPID).build()?;
/// connector.push_income(DEMO_BUSINESS, IncomeRecord::new()).webhook("http://127.0.0.1:9/hook?token=t").await?;
/// let callback = &sandbox.callbacks()?[0];
/// assert_eq!((callback.operation.as_str(), callback.state), ("push_income", CallbackState::Waiting));
/// assert_eq!(callback.webhook, "http://127.0.0.1:9/hook?[hidden]");
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct LoggedCallback {
    /// Its number.
    pub id: i64,
    /// The operation that it reports on.
    pub operation: String,
    /// The `uid` in the request.
    pub uid: Option<String>,
    /// The address that is called, without its query.
    pub webhook: String,
    /// The timestamp that it carries: RFC 3339, UTC.
    pub timestamp: String,
    /// How far its delivery has come.
    pub state: CallbackState,
    /// The time of the next delivery attempt: RFC 3339, UTC.
    pub next: Option<String>,
    /// The delivery attempts so far.
    pub attempts: Vec<LoggedAttempt>,
    /// The result of the request, as the callback reports it; a number of bytes where it is larger than 16 KiB.
    pub response: Box<RawValue>,
}

/// How far the delivery of a callback has come.
///
/// ```
/// use business_data_connector_sandbox::CallbackState;
///
/// assert_eq!(serde_json::to_string(&CallbackState::Delivered)?, r#""delivered""#);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum CallbackState {
    /// It will be delivered, or an attempt is in progress.
    Waiting,
    /// Its receiver replied with a status of 200 to 299.
    Delivered,
    /// Its last retry failed.
    Discarded,
}

/// A delivery attempt of a callback.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # use business_data_connector::{Connector, types::IncomeRecord};
/// # use business_data_connector_sandbox::{DEMO_APIKEY, DEMO_APPID, DEMO_BUSINESS, Sandbox};
/// let sandbox = Sandbox::start().await?;
/// # let connector = Connector::builder().base_url(sandbox.base_url()).credentials(DEMO_APIKEY, DEMO_APPID).build()?;
/// connector.push_income(DEMO_BUSINESS, IncomeRecord::new()).webhook("https://127.0.0.1/").await?;
/// let attempt = loop {
///     match sandbox.callbacks()?[0].attempts.first() {
///         Some(attempt) => break attempt.clone(),
///         None => tokio::task::yield_now().await,
///     }
/// };
/// assert!(attempt.outcome.starts_with("the webhook does not begin with http://"));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct LoggedAttempt {
    /// When it ended: RFC 3339, UTC.
    pub at: String,
    /// The reply of the receiver, or why there was none.
    pub outcome: String,
}

/// How many callbacks are shown.
const CAPACITY: usize = 1000;

/// The last thousand callbacks, oldest first.
pub(crate) fn last_callbacks(db: &Connection, redaction: &Redaction) -> Result<Vec<LoggedCallback>> {
    let mut callbacks = page(db, redaction, i64::MAX, CAPACITY)?;
    callbacks.reverse();
    Ok(callbacks)
}

/// The same, read a few at a time, so that nobody waits for all of them.
pub(super) async fn read_callbacks(state: &Arc<State>) -> Result<Vec<LoggedCallback>> {
    const AT_ONCE: usize = 100;

    let mut callbacks: Vec<LoggedCallback> = Vec::new();
    while callbacks.len() < CAPACITY {
        let before = callbacks.last().map_or(i64::MAX, |callback| callback.id);
        let shared = state.clone();
        let next = state.store.read(move |db| page(db, &shared.redaction, before, AT_ONCE)).await?;
        let is_last = next.len() < AT_ONCE;
        callbacks.extend(next);
        if is_last {
            break;
        }
    }
    callbacks.reverse();
    Ok(callbacks)
}

fn page(db: &Connection, redaction: &Redaction, before: i64, limit: usize) -> Result<Vec<LoggedCallback>> {
    callbacks_before(db, before, limit)?.into_iter().map(|row| logged(db, redaction, row)).collect()
}

fn logged(db: &Connection, redaction: &Redaction, row: CallbackRow) -> Result<LoggedCallback> {
    let attempts = attempts(db, row.id)?.into_iter();
    Ok(LoggedCallback {
        id: row.id,
        operation: row.operation,
        uid: row.uid,
        webhook: without_query(&row.webhook),
        timestamp: utc(row.created),
        state: match (row.delivered, row.finished) {
            (true, _) => CallbackState::Delivered,
            (false, true) => CallbackState::Discarded,
            (false, false) => CallbackState::Waiting,
        },
        next: row.due.map(utc),
        attempts: attempts.map(|(at, outcome)| LoggedAttempt { at: utc(at), outcome }).collect(),
        response: match row.response {
            Some(response) => redaction.redacted(&response, Unknown::Shown),
            None => to_raw_value(&json!({ "omitted": format!("{} bytes", row.size) }))?,
        },
    })
}
