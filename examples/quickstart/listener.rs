//! Receives callbacks on this machine.

use std::{
    collections::BTreeMap,
    io,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use axum::{
    Router,
    body::Bytes,
    extract::{DefaultBodyLimit, Path, State},
    routing::post,
};
use serde_json::Value;
use tokio::{
    net::TcpListener,
    sync::watch,
    time::{Instant, timeout_at},
};

/// Callbacks that arrived, by the number that their address carried.
type Arrived = BTreeMap<u64, Value>;

pub struct Listener {
    base_url: String,
    arrived: watch::Receiver<Arrived>,
    given: Mutex<BTreeMap<u64, &'static str>>,
}

impl Listener {
    pub async fn start() -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let base_url = format!("http://{}", listener.local_addr()?);
        let (sender, arrived) = watch::channel(Arrived::new());
        let take = |State(sender): State<Arc<watch::Sender<Arrived>>>, Path(number): Path<u64>, body: Bytes| async move {
            // A real receiver would keep what it cannot read.
            let callback = serde_json::from_slice(&body).unwrap_or(Value::Null);
            sender.send_modify(|arrived| _ = arrived.insert(number, callback));
        };
        // A pull is answered with all that is held.
        let router = Router::new().route("/callbacks/{number}", post(take)).layer(DefaultBodyLimit::disable());
        let router = router.with_state(Arc::new(sender));
        tokio::spawn(async { axum::serve(listener, router).await });
        Ok(Self { base_url, arrived, given: Mutex::default() })
    }

    /// An address of its own for one call of an operation.
    pub fn address(&self, operation: &'static str) -> (u64, String) {
        let mut given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        let number = given.len() as u64;
        given.insert(number, operation);
        (number, format!("{}/callbacks/{number}", self.base_url))
    }

    /// Waits for the callback to one address.
    pub async fn wait_for(&self, number: u64, patience: Duration) -> Option<Value> {
        self.wait(patience, |arrived| arrived.contains_key(&number)).await;
        self.arrived.borrow().get(&number).cloned()
    }

    /// Waits until every address was called.
    pub async fn wait_for_all(&self, patience: Duration) {
        let given = self.given.lock().unwrap_or_else(PoisonError::into_inner).len();
        self.wait(patience, |arrived| arrived.len() == given).await;
    }

    async fn wait(&self, patience: Duration, enough: impl Fn(&Arrived) -> bool) {
        let mut arrived = self.arrived.clone();
        // Out of patience: the caller looks at what arrived.
        let _ = timeout_at(Instant::now() + patience, arrived.wait_for(|arrived| enough(arrived))).await;
    }

    /// How many addresses were given for an operation, and how many of them were called.
    pub fn counts(&self, operation: &str) -> (usize, usize) {
        let given = self.given.lock().unwrap_or_else(PoisonError::into_inner);
        let arrived = self.arrived.borrow();
        let numbers: Vec<_> = given.iter().filter(|(_, of)| **of == operation).map(|(number, _)| number).collect();
        (numbers.len(), numbers.iter().filter(|number| arrived.contains_key(number)).count())
    }
}
