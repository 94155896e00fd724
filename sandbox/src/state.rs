//! What every request needs: the document and what was read from it, the store, the settings, the log and the faults.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use axum::http::StatusCode;
use business_data_connector_document::Document;
use std::net::SocketAddr;
use tokio::sync::Notify;

use crate::{
    access::Access,
    clock::Clock,
    credentials::Credentials,
    error::Error,
    faults::{FaultRule, FaultRules},
    limits::Limits,
    log::{Log, LoggedRequest, RequestNumber},
    refusal::Reason,
    replies::Replies,
    retention::Retention,
    spec::{
        records::{Layout, RecordType},
        redaction::Redaction,
        schemas::Schemas,
    },
    store::Store,
};

pub(crate) struct State {
    pub(crate) base_url: String,
    pub(crate) listen: SocketAddr,
    pub(crate) access: Access,
    pub(crate) retention: Retention,
    pub(crate) document: Document,
    pub(crate) schemas: Schemas,
    /// Where the records of each operation are.
    pub(crate) layouts: BTreeMap<String, Layout>,
    /// The type of the records in an uploaded file.
    pub(crate) uploaded: RecordType,
    pub(crate) redaction: Redaction,
    pub(crate) store: Store,
    pub(crate) credentials: Credentials,
    pub(crate) limits: Limits,
    pub(crate) clock: Clock,
    pub(crate) replies: Replies,
    pub(crate) strict: bool,
    pub(crate) remote_callbacks: bool,
    /// Notified when a request was queued.
    pub(crate) queue_changed: Arc<Notify>,
    /// Notified when callbacks were added, or may be due earlier.
    pub(crate) callbacks_changed: Arc<Notify>,
    pub(crate) log: Mutex<Log>,
    pub(crate) faults: Mutex<FaultRules>,
}

impl State {
    pub(crate) fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Logs a refused request that reached no operation of the document, and returns its number.
    pub(crate) fn log_refusal(
        &self,
        operation: &str,
        status: Option<StatusCode>,
        reasons: Vec<Reason>,
    ) -> RequestNumber {
        let mut request = LoggedRequest::new(operation);
        request.status = status.map(|status| status.as_u16());
        request.reasons = reasons;
        self.log_request(request)
    }

    /// Logs a request, here and with `tracing`, and returns its number.
    pub(crate) fn log_request(&self, request: LoggedRequest) -> RequestNumber {
        let request = self.log().add(request);
        request.trace();
        RequestNumber(request.number)
    }

    pub(crate) fn faults(&self) -> MutexGuard<'_, FaultRules> {
        self.faults.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a rule, and returns its number.
    ///
    /// # Errors
    /// As [`FaultRule::check`].
    pub(crate) fn add_fault(&self, rule: FaultRule) -> Result<u64, Error> {
        rule.check(self.document.operations().iter().map(|operation| operation.id.as_str()))?;
        Ok(self.faults().add(rule))
    }

    /// The tag of an operation, such as `push`.
    pub(crate) fn tag(&self, operation: &str) -> String {
        let found = self.document.operations().iter().find(|one| one.id == operation);
        found.map(|operation| operation.tag.clone()).unwrap_or_default()
    }
}
