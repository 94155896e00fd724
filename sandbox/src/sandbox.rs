use std::{io, sync::Arc, time::Duration};

use tokio::{
    sync::oneshot,
    task::JoinHandle,
    time::{Instant, sleep},
};

use crate::{
    CallbackState, FaultRule, Record, Refusal, Request, SandboxBuilder, deliver, inspect, process,
    service::Service,
    store::{callbacks, tables},
};

/// A running sandbox. It stops when it is dropped, whatever is under way; [`Sandbox::stop`] finishes that first.
pub struct Sandbox {
    service: Arc<Service>,
    stop: Option<oneshot::Sender<()>>,
    served: JoinHandle<()>,
    tasks: [JoinHandle<()>; 2],
}

impl Sandbox {
    pub(crate) fn running(
        service: Arc<Service>,
        stop: oneshot::Sender<()>,
        served: JoinHandle<()>,
        tasks: [JoinHandle<()>; 2],
    ) -> Self {
        Self { service, stop: Some(stop), served, tasks }
    }

    /// Starts with the demo credentials and the demo business, on a free port of the loopback interface, in memory.
    ///
    /// # Errors
    /// As [`SandboxBuilder::start`].
    pub async fn start() -> io::Result<Self> {
        Self::builder().start().await
    }

    /// Sets up another.
    pub fn builder() -> SandboxBuilder {
        SandboxBuilder::default()
    }

    /// Its address, as the connector's base URL.
    pub fn base_url(&self) -> &str {
        &self.service.base_url
    }

    /// The records that are held for a business, in the order in which they were first pushed; what was taken so far is
    /// carried out before.
    ///
    /// # Errors
    /// When the store fails.
    pub fn records(&self, uid: &str) -> io::Result<Vec<Record>> {
        let (service, uid) = (self.service.clone(), uid.to_owned());
        let records = self.service.store.run_blocking(move |db| {
            process::queue(db, &service)?;
            tables::records(db, &uid)
        });
        self.service.callbacks_changed.notify_one();
        records.map_err(io::Error::other)
    }

    /// Why requests were refused, in their order, as far as they are remembered.
    pub fn refusals(&self) -> Vec<Refusal> {
        let refused = |request: Request| {
            let status = request.status.filter(|_| !request.reasons.is_empty())?;
            Some(Refusal { operation: request.operation, status, reasons: request.reasons })
        };
        self.requests().into_iter().filter_map(refused).collect()
    }

    /// The last thousand requests, oldest first.
    pub fn requests(&self) -> Vec<Request> {
        self.service.log().requests().cloned().collect()
    }

    /// The last thousand callbacks, oldest first; what was taken so far is carried out before.
    ///
    /// # Errors
    /// When the store fails.
    pub fn callbacks(&self) -> io::Result<Vec<CallbackState>> {
        let service = self.service.clone();
        let states = self.service.store.run_blocking(move |db| {
            process::queue(db, &service)?;
            inspect::callback_states(db, &service.redaction)
        });
        self.service.callbacks_changed.notify_one();
        states.map_err(io::Error::other)
    }

    /// Lets something go wrong.
    ///
    /// # Errors
    /// When the rule can never hold: an operation that is not in the document, no times at all, a fault that is none.
    pub fn add_fault(&self, rule: FaultRule) -> io::Result<()> {
        self.service.add_fault(rule).map_err(io::Error::other)
    }

    /// Stops: no connection is taken any more, every request that was taken is answered and carried out, and its callback
    /// tried, for ten seconds at most each. A callback that has to be tried again waits in the file, if there is one, which is
    /// free for another sandbox then.
    ///
    /// # Errors
    /// When the store fails.
    pub async fn stop(mut self) -> io::Result<()> {
        self.stop.take();
        (&mut self.served).await.map_err(io::Error::other)?;
        let service = self.service.clone();
        let carried_out = self.service.store.run(move |db| process::queue(db, &service));
        carried_out.await.map_err(io::Error::other)?;
        // As long as one attempt may take, and no longer.
        let patience = Instant::now() + deliver::PATIENCE;
        while Instant::now() < patience
            && self.service.store.run(callbacks::is_calling).await.map_err(io::Error::other)?
        {
            self.service.callbacks_changed.notify_one();
            sleep(Duration::from_millis(10)).await;
        }
        self.tasks.iter().for_each(JoinHandle::abort);
        self.service.store.close().await;
        Ok(())
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        self.served.abort();
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}
