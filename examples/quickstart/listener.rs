//! A server that receives callbacks on this machine.

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

/// The callbacks that arrived, by the number in the path of their address.
type Arrived = BTreeMap<u64, Value>;

pub struct Listener {
    base_url: String,
    arrived: watch::Receiver<Arrived>,
    created: Mutex<BTreeMap<u64, &'static str>>,
}

impl Listener {
    pub async fn start() -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let base_url = format!("http://{}", listener.local_addr()?);
        let (sender, arrived) = watch::channel(Arrived::new());
        let receive = |State(sender): State<Arc<watch::Sender<Arrived>>>, Path(number): Path<u64>, body: Bytes| async move {
            // A real receiver would also store a body that is not JSON.
            let callback = serde_json::from_slice(&body).unwrap_or(Value::Null);
            sender.send_modify(|arrived| _ = arrived.insert(number, callback));
        };
        // The callback of a pull carries everything that the service holds, so its size is not limited.
        let router = Router::new().route("/callbacks/{number}", post(receive)).layer(DefaultBodyLimit::disable());
        let router = router.with_state(Arc::new(sender));
        tokio::spawn(async { axum::serve(listener, router).await });
        Ok(Self { base_url, arrived, created: Mutex::default() })
    }

    /// Returns a new address, for one call of an operation, and its number.
    pub fn address(&self, operation: &'static str) -> (u64, String) {
        let mut created = self.created.lock().unwrap_or_else(PoisonError::into_inner);
        let number = created.len() as u64;
        created.insert(number, operation);
        (number, format!("{}/callbacks/{number}", self.base_url))
    }

    /// Waits for the callback to the address with this number; `None` if it did not arrive in time.
    pub async fn wait_for(&self, number: u64, timeout: Duration) -> Option<Value> {
        self.wait(timeout, |arrived| arrived.contains_key(&number)).await;
        self.arrived.borrow().get(&number).cloned()
    }

    /// Waits until a callback has arrived at every address, or the time is over.
    pub async fn wait_for_all(&self, timeout: Duration) {
        let created = self.created.lock().unwrap_or_else(PoisonError::into_inner).len();
        self.wait(timeout, |arrived| arrived.len() == created).await;
    }

    async fn wait(&self, timeout: Duration, enough: impl Fn(&Arrived) -> bool) {
        let mut arrived = self.arrived.clone();
        // After the timeout the caller reports what is missing.
        let _ = timeout_at(Instant::now() + timeout, arrived.wait_for(|arrived| enough(arrived))).await;
    }

    /// How many addresses were created for an operation, and at how many of them a callback arrived.
    pub fn counts(&self, operation: &str) -> (usize, usize) {
        let created = self.created.lock().unwrap_or_else(PoisonError::into_inner);
        let arrived = self.arrived.borrow();
        let numbers: Vec<_> = created.iter().filter(|(_, of)| **of == operation).map(|(number, _)| number).collect();
        (numbers.len(), numbers.iter().filter(|number| arrived.contains_key(number)).count())
    }
}
