//! A store under test, and short ways to use it.

use std::{
    collections::HashSet,
    sync::{
        Arc,
        atomic::{AtomicI64, AtomicU64, Ordering},
    },
    time::Duration,
};

use business_data_connector::{
    callback::CallbackId,
    types::{ExpenseRecord, IncomeRecord, PushExpenseRequest, PushIncomeRequest, PushResetRequest, PushSaleRequest},
};
use business_data_connector_outbox::{
    DecisionKind, Entry, Event, OutboxError, Staged, State,
    testing::{
        Added, Address, Addresses, Applied, Arrival, Batch, Check, Claim, Limits, Maintenance, Millis, NewPause,
        Settlement, Store, Verdict,
    },
};

pub type TestResult = Result<(), Box<dyn std::error::Error>>;

/// Longer than any lease.
pub const HOUR: Millis = 60 * 60 * 1000;

pub struct Bench {
    pub store: Arc<dyn Store>,
    now: AtomicI64,
}

impl Bench {
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store, now: AtomicI64::new(1_000_000_000_000) }
    }

    pub fn now(&self) -> Millis {
        self.now.load(Ordering::Relaxed)
    }

    pub fn pass(&self, millis: Millis) {
        self.now.fetch_add(millis, Ordering::Relaxed);
    }

    /// Adds requests, which are new, and returns their numbers.
    pub async fn add(&self, records: impl IntoIterator<Item = Staged>) -> Vec<i64> {
        let added = self.store.add(records.into_iter().collect()).await.unwrap();
        let number = |added| match added {
            Added::New(number) => number,
            other => panic!("{other:?}"),
        };
        added.into_iter().map(number).collect()
    }

    pub async fn advance(&self, settled: Option<Settlement>, claim: Option<Claim>) -> (Vec<Event>, Option<Batch>) {
        self.store.advance(self.now(), settled, claim).await.unwrap()
    }

    pub async fn claim(&self) -> Option<Batch> {
        self.advance(None, Some(claim_of(100, 1 << 20))).await.1
    }

    pub async fn settle(&self, batch: &Batch, verdict: Verdict) -> Vec<Event> {
        self.advance(Some(settlement(batch, verdict)), None).await.0
    }

    /// Claims the next batch, and stores what became of it.
    pub async fn send(&self, state: State) -> Batch {
        let batch = self.claim().await.unwrap();
        let check_at = Some(self.now()).filter(|_| state == State::Unknown);
        self.settle(&batch, Verdict { check_at, ..verdict(state) }).await;
        batch
    }

    pub async fn arrive(&self, arrival: Arrival) -> (Vec<Event>, Applied) {
        self.store.arrived(self.now(), arrival).await.unwrap()
    }

    pub async fn begin_check(&self) -> Option<Check> {
        self.store.begin_check(self.now(), self.now() + HOUR, addresses()).await.unwrap()
    }

    /// The callback of a pull, after which the next one is due an hour later.
    pub async fn pulled(&self, check: &Check, found: &[&str]) -> Vec<Event> {
        let found: HashSet<_> = found.iter().map(|id| (*id).to_owned()).collect();
        let check_at = self.now() + HOUR;
        self.arrive(Arrival { found: Some(found), check_at, ..arrival(check.address.id) }).await.0
    }

    pub async fn recover(&self) -> Vec<Event> {
        self.store.recover(self.now(), self.now()).await.unwrap()
    }

    pub async fn maintain(&self, unconfirmed_after: Millis, keep: &[(State, Millis)], limit: usize) -> Vec<Event> {
        let duration = |millis: Millis| Duration::from_millis(millis.unsigned_abs());
        let keep = keep.iter().map(|(state, time)| (*state, duration(*time))).collect();
        let maintenance = Maintenance { unconfirmed_after: duration(unconfirmed_after), keep, limit };
        self.store.maintain(self.now(), maintenance).await.unwrap()
    }

    pub async fn decide(&self, number: i64, kind: DecisionKind) -> Result<Event, OutboxError> {
        self.store.decide(self.now(), number, kind, "Ada".to_owned(), "it was tried".to_owned()).await
    }

    pub async fn pause(&self, uid: Option<&str>, until: Option<Millis>, reason: &str) {
        let pause = NewPause { until, reason: reason.to_owned() };
        self.store.pause(self.now(), uid.map(str::to_owned), pause).await.unwrap();
    }

    pub async fn entry(&self, number: i64) -> Entry {
        self.store.entry(number).await.unwrap().unwrap()
    }

    pub async fn state(&self, number: i64) -> State {
        self.entry(number).await.state
    }

    pub async fn states(&self, numbers: &[i64]) -> Vec<State> {
        let mut states = Vec::new();
        for number in numbers {
            states.push(self.state(*number).await);
        }
        states
    }

    /// Checks that what is counted is what is there, and that events lead to where requests are.
    pub async fn recount(&self) {
        let counts = self.store.counts().await.unwrap();
        for count in counts.iter() {
            let entries = self.store.entries(Some(count.state), 0, usize::MAX).await.unwrap();
            assert_eq!(count.count, u64::try_from(entries.len()).unwrap(), "{}", count.state);
            // A store need not know it of what is done.
            let done = count.state == State::Confirmed && count.oldest.is_none();
            assert!(done || count.oldest == entries.iter().map(|entry| entry.since).min(), "{count:?}");
        }
    }
}

pub fn income(uid: &str, id: &str) -> Staged {
    Staged::new(&PushIncomeRequest::new(uid, IncomeRecord::new().id(id))).unwrap()
}

pub fn expense(uid: &str, id: &str) -> Staged {
    Staged::new(&PushExpenseRequest::new(uid, ExpenseRecord::new().id(id))).unwrap()
}

pub fn sale(uid: &str, id: &str) -> Staged {
    let record = business_data_connector::types::SaleRecord::new().id(id);
    Staged::new(&PushSaleRequest::new(uid, record)).unwrap()
}

pub fn reset(uid: &str) -> Staged {
    Staged::new(&PushResetRequest::new(uid)).unwrap()
}

/// The business for which there is no address.
pub const WITHOUT_ADDRESS: &str = "without-address";

pub fn addresses() -> Addresses {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    Arc::new(|_, uid| {
        if uid == Some(WITHOUT_ADDRESS) {
            return Err(OutboxError::Invalid("there is no address".to_owned()));
        }
        let id = CallbackId::from_bytes(u128::from(NEXT.fetch_add(1, Ordering::Relaxed)).to_be_bytes());
        Ok(Address { id, url: format!("https://partner.example/{id}"), signature: "signature".to_owned() })
    })
}

pub fn claim_of(records: usize, bytes: usize) -> Claim {
    Claim { limits: Limits { records, bytes }, addresses: addresses(), lease: Duration::from_secs(60) }
}

pub fn verdict(state: State) -> Verdict {
    Verdict { state, reason: None, check_at: None, alone: false, attempts: None, not_before: None, pause: None }
}

pub fn settlement(batch: &Batch, verdict: Verdict) -> Settlement {
    Settlement { send: batch.address.id, uid: batch.uid.clone(), verdict }
}

/// A callback that reports success.
pub fn arrival(send: CallbackId) -> Arrival {
    Arrival { send, failed: false, message: None, found: None, check_at: 0, resend_absent: false }
}

pub fn failure(send: CallbackId, message: &str, check_at: Millis) -> Arrival {
    Arrival { failed: true, message: Some(message.to_owned()), check_at, ..arrival(send) }
}

pub fn numbers(batch: &Batch) -> Vec<i64> {
    batch.rows.iter().map(|row| row.number).collect()
}
