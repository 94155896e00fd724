//! The places for connections: as many as the limit says, and a few more for the inspection API, so that it can be
//! reached whatever the callers of the operations do.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use tokio::{
    net::TcpStream,
    sync::{OwnedSemaphorePermit, Semaphore},
    task::AbortHandle,
};

/// How many connections to the inspection API are served when every other place is taken.
const INSPECTION: usize = 16;

/// How many connections wait for a place. With more, the one that has waited longest is closed: what is beyond them
/// could not be told from a connection to the inspection API.
const WAITING: usize = 256;

/// How a request to the inspection API begins, after its method.
const PATH: &[u8] = b"/_sandbox";

pub(crate) struct Places {
    all: Arc<Semaphore>,
    inspection: Arc<Semaphore>,
    waiting: Mutex<Waiting>,
}

/// The connections that wait, by number, longest first.
#[derive(Default)]
struct Waiting {
    last: u64,
    connections: VecDeque<(u64, AbortHandle)>,
}

/// A place, which is free again when this is dropped.
pub(crate) struct Place {
    _permit: Option<OwnedSemaphorePermit>,
}

impl Places {
    pub(crate) fn new(connections: usize) -> Self {
        Self {
            all: Arc::new(Semaphore::new(connections)),
            inspection: Arc::new(Semaphore::new(INSPECTION)),
            waiting: Mutex::default(),
        }
    }

    /// A place, if one is free now.
    pub(crate) fn free(&self) -> Option<Place> {
        self.all.clone().try_acquire_owned().ok().map(|permit| Place { _permit: Some(permit) })
    }

    /// Waits for a place. One of those for the inspection API is taken once the connection asks for that.
    pub(crate) async fn wait(&self, stream: &TcpStream) -> Place {
        let inspection = async {
            if asks_for_inspection(stream).await {
                self.inspection.clone().acquire_owned().await
            } else {
                std::future::pending().await
            }
        };
        // The semaphores are never closed.
        let permit = tokio::select! {
            permit = self.all.clone().acquire_owned() => permit.ok(),
            permit = inspection => permit.ok(),
        };
        Place { _permit: permit }
    }

    /// Spawns a connection that has to wait, and closes the one that has waited longest if there are too many. It is
    /// given its number, for [`has_place`](Self::has_place).
    pub(crate) fn spawn_waiting(&self, spawn: impl FnOnce(u64) -> AbortHandle) {
        let mut waiting = self.lock();
        waiting.last += 1;
        let number = waiting.last;
        waiting.connections.push_back((number, spawn(number)));
        let excess = waiting.connections.len() > WAITING;
        if let Some((_, longest)) = excess.then(|| waiting.connections.pop_front()).flatten() {
            tracing::warn!(waiting = WAITING, "too many connections wait; the first of them is closed");
            longest.abort();
        }
    }

    /// Says that a connection waits no longer, so that it is not closed.
    pub(crate) fn has_place(&self, number: u64) {
        self.lock().connections.retain(|(waiting, _)| *waiting != number);
    }

    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a connection begins with a request to the inspection API. It waits until that is known.
async fn asks_for_inspection(stream: &TcpStream) -> bool {
    /// Long enough for any method, and the path.
    const LONGEST: usize = 24;

    let mut head = [0; LONGEST];
    let mut before = 0;
    while let Ok(length) = stream.peek(&mut head).await {
        let path = head[..length].split_inclusive(|byte| *byte == b' ').nth(1);
        match path {
            Some(path) if path.len() >= PATH.len() => return path.starts_with(PATH),
            _ if length == LONGEST || length == 0 => return false,
            // Part of a head, and no more of it yet: it is not worth a place.
            _ if length == before => return false,
            _ => before = length,
        }
    }
    false
}
