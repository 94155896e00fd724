use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use axum::http::StatusCode;
use business_data_connector_document::Document;
use tokio::sync::Notify;

use crate::{
    Clock, Fault, FaultRule, Reason, Replies,
    credentials::Credentials,
    deliver,
    effect::Surroundings,
    fault::FaultRules,
    kind::{Kind, Shape},
    log::Log,
    reason::{lines, shortened},
    redaction::Redaction,
    schemas::Schemas,
    serve::Limits,
    store::Store,
};

/// How long an upload address may be used.
const UPLOAD_TIME: Duration = Duration::from_secs(15 * 60);

/// What every request needs.
pub(crate) struct Service {
    pub(crate) base_url: String,
    pub(crate) document: Document,
    pub(crate) credentials: Credentials,
    pub(crate) schemas: Schemas,
    pub(crate) store: Store,
    pub(crate) client: deliver::Client,
    pub(crate) clock: Clock,
    pub(crate) replies: Replies,
    pub(crate) strict: bool,
    pub(crate) queue_changed: Arc<Notify>,
    pub(crate) callbacks_changed: Arc<Notify>,
    pub(crate) shapes: BTreeMap<String, Shape>,
    pub(crate) uploaded: Kind,
    pub(crate) redaction: Redaction,
    pub(crate) remote_callbacks: bool,
    pub(crate) limits: Limits,
    pub(crate) log: Mutex<Log>,
    pub(crate) faults: Mutex<FaultRules>,
}

impl Service {
    pub(crate) fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Logs and remembers why a request was refused that reached no operation of the document.
    pub(crate) fn refuse_elsewhere(&self, operation: &str, status: Option<StatusCode>, reasons: Vec<Reason>) {
        tracing::warn!(operation, reason = lines(&reasons), "refused");
        self.log().add_elsewhere(operation, status.map(|status| status.as_u16()), reasons);
    }

    pub(crate) fn faults(&self) -> MutexGuard<'_, FaultRules> {
        self.faults.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets something go wrong.
    ///
    /// # Errors
    /// A sentence, when the rule can never hold.
    pub(crate) fn add_fault(&self, rule: FaultRule) -> Result<(), String> {
        let known = |id: &String| self.document.operations().iter().any(|operation| operation.id == *id);
        if let Some(unknown) = rule.operation.as_ref().filter(|id| !known(id)) {
            return Err(format!("`{}` is no operation of the document", shortened(unknown)));
        }
        if rule.times == Some(0) {
            return Err("`times` is 0; leave it out for a fault that stays".to_owned());
        }
        // Not every value of the type can be written.
        rule.fault.to_string().parse::<Fault>()?;
        self.faults().0.push(rule);
        Ok(())
    }

    pub(crate) fn around(&self, operation: &str) -> Surroundings<'_> {
        Surroundings {
            shape: self.shapes.get(operation),
            uploaded: &self.uploaded,
            base_url: &self.base_url,
            upload_time: self.clock.scaled(UPLOAD_TIME),
        }
    }

    /// The group of an operation: `push`.
    pub(crate) fn group(&self, operation: &str) -> String {
        let found = self.document.operations().iter().find(|one| one.id == operation);
        found.map(|operation| operation.tag.clone()).unwrap_or_default()
    }
}
