//! The tasks of a worker.

use std::{
    fmt,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use business_data_connector::inbox::{Inbox, Received, StoreError};
use futures_util::StreamExt;
use tokio::{
    sync::{Notify, watch},
    task::JoinSet,
    time::sleep,
};

use super::{core::Core, transport::Transport};
use crate::{Outbox, OutboxError, lock::Lock, options::Options, store::Applied, time::SystemClock};

/// How long to wait after the store has failed.
const AFTER_FAILURE: Duration = Duration::from_secs(1);

/// How often to look for what time alone does.
const MAINTENANCE: Duration = Duration::from_secs(10);

/// How many callbacks are applied at the same time. They share commits.
const CALLBACKS: usize = 32;

/// A worker that runs. It is made by [`WorkerBuilder::run`](crate::WorkerBuilder::run).
///
/// [`stop`](Self::stop) it before the process ends. If it is dropped instead, calls that are under way are cut off, and
/// their requests are [unknown](crate::State::Unknown) when the next worker starts.
pub struct Worker {
    stop: watch::Sender<bool>,
    senders: JoinSet<()>,
    others: JoinSet<()>,
    /// Held until the tasks have ended.
    lock: Arc<Lock>,
}

impl Worker {
    /// Stops: nothing more is sent, and what left is waited for and stored. Callbacks that have not arrived by then are
    /// applied by the next worker.
    pub async fn stop(mut self) {
        self.stop.send_replace(true);
        while self.senders.join_next().await.is_some() {}
        self.others.shutdown().await;
        drop(self.lock);
    }
}

impl fmt::Debug for Worker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Worker").field("stopping", &*self.stop.borrow()).finish_non_exhaustive()
    }
}

pub(crate) async fn run(
    outbox: Outbox,
    transport: Arc<dyn Transport>,
    inbox: Inbox,
    options: Options,
) -> Result<Worker, OutboxError> {
    let lock = Arc::new(outbox.lock()?);
    let (lanes, poll) = (options.lanes, options.poll_interval);
    let core = Arc::new(Core {
        store: outbox.store().clone(),
        transport,
        clock: Arc::new(SystemClock),
        options,
        events: outbox.sender().clone(),
        random: Mutex::new(fastrand::Rng::new()),
    });
    core.recover().await?;
    let stop = watch::Sender::new(false);
    let (mut senders, mut others) = (JoinSet::new(), JoinSet::new());
    for _ in 0..lanes {
        let (core, wake, stop) = (core.clone(), outbox.wake().clone(), stop.subscribe());
        senders.spawn(keeping(lock.clone(), send(core, wake, stop, poll)));
    }
    others.spawn(keeping(lock.clone(), receive(core.clone(), inbox)));
    others.spawn(keeping(lock.clone(), check(core.clone(), poll)));
    others.spawn(keeping(lock.clone(), maintain(core)));
    Ok(Worker { stop, senders, others, lock })
}

/// Runs a task that needs the lock until its end.
async fn keeping(lock: Arc<Lock>, task: impl Future<Output = ()>) {
    task.await;
    drop(lock);
}

/// Sends one batch after the other. What became of one and the next one that is sent share a commit.
async fn send(core: Arc<Core>, wake: Arc<Notify>, mut stop: watch::Receiver<bool>, poll: Duration) {
    let mut settled = None;
    loop {
        let stopping = *stop.borrow_and_update();
        let woken = wake.notified();
        let begun = Instant::now();
        match core.advance(settled.clone(), !stopping).await {
            // Whoever was stopped for so long may not have the lease until the end of the call.
            Ok(Some(batch)) if core.store.is_shared() && begun.elapsed() > core.options.margin() => {
                settled = Some(core.give_back(&batch));
            }
            Ok(Some(batch)) => settled = Some(core.send(&batch).await),
            Ok(None) if stopping => return,
            Ok(None) => {
                settled = None;
                tokio::select! {
                    () = woken => {}
                    () = sleep(poll) => {}
                    _ = stop.changed() => {}
                }
            }
            // What is known of a batch is not given up.
            Err(error) => {
                tracing::error!(%error, "the outbox failed; trying again");
                if stopping && settled.is_none() {
                    return;
                }
                sleep(AFTER_FAILURE).await;
            }
        }
    }
}

/// Applies callbacks. One that belongs to somebody else is left to them.
async fn receive(core: Arc<Core>, inbox: Inbox) {
    let core = &core;
    let apply = |received: Result<Received, StoreError>| async move {
        let failed = match &received {
            Ok(received) => match core.arrived(received).await {
                Ok(Applied::Known) => received.done().await.err().map(|error| error.to_string()),
                Ok(Applied::Foreign) => None,
                // It is delivered again after a restart.
                Err(error) => Some(error.to_string()),
            },
            Err(error) => Some(error.to_string()),
        };
        if let Some(error) = failed {
            tracing::error!(error, "a callback could not be applied");
            sleep(AFTER_FAILURE).await;
        }
    };
    inbox.callbacks().for_each_concurrent(CALLBACKS, apply).await;
}

/// Looks for records whose fate is not known.
async fn check(core: Arc<Core>, poll: Duration) {
    loop {
        match core.begin_check().await {
            Ok(Some(check)) => core.send_check(&check).await,
            Ok(None) => sleep(poll).await,
            Err(error) => {
                tracing::error!(%error, "the outbox failed; trying again");
                sleep(AFTER_FAILURE).await;
            }
        }
    }
}

async fn maintain(core: Arc<Core>) {
    loop {
        if let Err(error) = core.maintain().await {
            tracing::error!(%error, "the outbox could not be maintained; trying again");
        }
        // In one process, nothing is left behind while it runs.
        if core.store.is_shared()
            && let Err(error) = core.recover().await
        {
            tracing::error!(%error, "leases that have ended could not be looked for; trying again");
        }
        #[cfg(feature = "metrics")]
        super::gauges::set(&core).await;
        sleep(MAINTENANCE.min(core.options.call_limit)).await;
    }
}
