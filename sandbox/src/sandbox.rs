use std::{sync::Arc, time::Duration};

use tokio::{
    sync::oneshot,
    task::JoinHandle,
    time::{Instant, sleep},
};

use crate::{
    error::Error,
    faults::FaultRule,
    inspect::{LoggedCallback, last_callbacks},
    limits::RECEIVER_TIMEOUT,
    log::LoggedRequest,
    operations::queue::drain_queue,
    refusal::Refusal,
    state::State,
    store::{Record, callbacks, tables},
};

/// A running sandbox.
///
/// It stops when it is dropped, and aborts what is in progress; [`stop`](Self::stop) finishes that first.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use business_data_connector::{Connector, types::IncomeRecord};
/// use business_data_connector_sandbox::{DEMO_APIKEY, DEMO_APPID, DEMO_BUSINESS, Sandbox};
///
/// let sandbox = Sandbox::start().await?;
/// let connector = Connector::builder().base_url(sandbox.base_url()).credentials(DEMO_APIKEY, DEMO_APPID).build()?;
/// connector.push_income(DEMO_BUSINESS, IncomeRecord::new().id("INV-1")).await?;
/// assert_eq!(sandbox.records(DEMO_BUSINESS)?.len(), 1);
/// assert!(sandbox.refusals().is_empty());
/// sandbox.stop().await?;
/// # Ok(()) }
/// ```
pub struct Sandbox {
    state: Arc<State>,
    stop: Option<oneshot::Sender<()>>,
    server: JoinHandle<()>,
    tasks: [JoinHandle<()>; 2],
}

impl Sandbox {
    pub(crate) fn new(
        state: Arc<State>,
        stop: oneshot::Sender<()>,
        server: JoinHandle<()>,
        tasks: [JoinHandle<()>; 2],
    ) -> Self {
        Self { state, stop: Some(stop), server, tasks }
    }

    /// The address, as the connector's base URL.
    pub fn base_url(&self) -> &str {
        &self.state.base_url
    }

    /// The records of a business, in the order in which they were first pushed. Queued requests are executed first.
    ///
    /// # Errors
    /// [`Error::Store`].
    pub fn records(&self, uid: &str) -> Result<Vec<Record>, Error> {
        let (state, uid) = (self.state.clone(), uid.to_owned());
        let records = self.state.store.run_blocking(move |db| {
            drain_queue(db, &state)?;
            tables::records(db, &uid)
        });
        self.state.callbacks_changed.notify_one();
        Ok(records?)
    }

    /// The refusals among the last thousand requests, oldest first, and why each was refused.
    pub fn refusals(&self) -> Vec<Refusal> {
        let refused = |request: LoggedRequest| {
            let status = request.status.filter(|_| !request.reasons.is_empty())?;
            Some(Refusal { operation: request.operation, status, reasons: request.reasons })
        };
        self.requests().into_iter().filter_map(refused).collect()
    }

    /// The last thousand requests, oldest first.
    pub fn requests(&self) -> Vec<LoggedRequest> {
        self.state.log().requests().cloned().collect()
    }

    /// The last thousand callbacks, oldest first. Queued requests are executed first.
    ///
    /// # Errors
    /// [`Error::Store`].
    pub fn callbacks(&self) -> Result<Vec<LoggedCallback>, Error> {
        let state = self.state.clone();
        let callbacks = self.state.store.run_blocking(move |db| {
            drain_queue(db, &state)?;
            last_callbacks(db, &state.redaction)
        });
        self.state.callbacks_changed.notify_one();
        Ok(callbacks?)
    }

    /// Injects a fault into the next requests that match.
    ///
    /// # Errors
    /// [`Error::InvalidFaultRule`] when the rule can never match, such as for an operation that is not in the
    /// document; [`Error::UnknownFault`] for a fault that is not in [`Fault::SYNTAX`](crate::Fault::SYNTAX).
    pub fn add_fault(&self, rule: FaultRule) -> Result<(), Error> {
        self.state.add_fault(rule).map(drop)
    }

    /// Stops gracefully: no further connection is accepted, every accepted request is answered and executed, and its
    /// callback attempted; each within ten seconds.
    ///
    /// A callback that must be retried stays in the data file, if there is one. Another sandbox may then open the file.
    ///
    /// # Errors
    /// [`Error::Store`], or [`Error::Task`] if the server panicked.
    pub async fn stop(mut self) -> Result<(), Error> {
        self.stop.take();
        (&mut self.server).await?;
        let state = self.state.clone();
        self.state.store.run(move |db| drain_queue(db, &state)).await?;
        // Long enough for one attempt at each callback.
        let deadline = Instant::now() + RECEIVER_TIMEOUT;
        while Instant::now() < deadline && self.state.store.run(callbacks::any_pending).await? {
            self.state.callbacks_changed.notify_one();
            sleep(Duration::from_millis(10)).await;
        }
        self.tasks.iter().for_each(JoinHandle::abort);
        self.state.store.close().await;
        Ok(())
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        self.server.abort();
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}
