//! Everything that is simulated, and the steps that are drawn.

use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use business_data_connector::{
    Connector,
    callback::CallbackKey,
    inbox::Inbox,
    types::{
        ExpenseRecord, IncomeRecord, PushExpenseRequest, PushIncomeRequest, PushResetRequest, PushSaleRequest,
        SaleRecord,
    },
};
use business_data_connector_outbox::{
    Entry, Outbox, Staged, State, WorkerBuilder,
    testing::{self, Added, Batch, Clock, Core, Millis, Settlement, Store},
};

use crate::service::{Model, Service};

pub const BUSINESSES: [&str; 3] = ["a", "b", "c"];
/// More requests make each step slower, and no other mistakes.
const MOST: usize = 40;
const SENDERS: usize = 3;

#[derive(Debug, Default, Clone)]
pub struct Totals {
    pub enqueued: u64,
    pub sent: u64,
    pub callbacks: u64,
    pub pulls: u64,
    pub crashes: u64,
    pub decisions: u64,
    pub confirmed: u64,
}

impl Totals {
    pub fn add(&mut self, other: &Self) {
        self.enqueued += other.enqueued;
        self.sent += other.sent;
        self.callbacks += other.callbacks;
        self.pulls += other.pulls;
        self.crashes += other.crashes;
        self.decisions += other.decisions;
        self.confirmed += other.confirmed;
    }
}

#[derive(Default)]
pub enum Sender {
    #[default]
    Idle,
    Claimed(Batch),
    Answered(Settlement),
}

struct SimulatedClock(AtomicI64);

impl Clock for SimulatedClock {
    fn now(&self) -> Millis {
        self.0.load(Ordering::SeqCst)
    }
}

pub struct World {
    pub store: Arc<dyn Store>,
    pub service: Arc<Mutex<Service>>,
    pub senders: [Sender; SENDERS],
    /// The requests as they were after the last step.
    pub known: BTreeMap<i64, Entry>,
    pub accepted: std::collections::BTreeSet<i64>,
    pub totals: Totals,
    inbox: Inbox,
    builder: WorkerBuilder,
    core: Core,
    clock: Arc<SimulatedClock>,
    random: fastrand::Rng,
    folder: tempfile::TempDir,
}

impl World {
    pub fn new(seed: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let key = CallbackKey::new(1, b"32 bytes that the tests agree on").unwrap();
        let inbox = Inbox::builder("http://127.0.0.1:9", key).build().unwrap();
        let connector = Connector::builder().base_url("http://127.0.0.1:9").credentials("a", "b").build().unwrap();
        let opened = Outbox::sqlite_without_sync(folder.path().join("unused.db"));
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let outbox = runtime.block_on(opened).unwrap();
        let mut builder = outbox.worker(connector, inbox.clone()).batch_records(5);
        let mut random = fastrand::Rng::with_seed(seed);
        if random.bool() {
            builder = builder.refusals_are_atomic();
        }
        let service = Service { random: fastrand::Rng::with_seed(seed ^ 1), ..Service::default() };
        let service = Arc::new(Mutex::new(service));
        let clock = Arc::new(SimulatedClock(AtomicI64::new(1_700_000_000_000)));
        let store = testing::sqlite_store(&folder.path().join("outbox.db")).unwrap();
        let model = Arc::new(Model { service: service.clone(), inbox: inbox.clone() });
        let core = testing::core(&builder, store.clone(), model, clock.clone(), seed);
        let (senders, known, accepted) = Default::default();
        let totals = Totals::default();
        Self { store, service, senders, known, accepted, totals, inbox, builder, core, clock, random, folder }
    }

    pub async fn step(&mut self) -> &'static str {
        match self.random.u8(0..100) {
            0..14 => self.enqueue().await,
            14..40 => self.claim().await,
            40..60 => self.send().await,
            60..74 => self.callback().await,
            74..76 => self.crash().await,
            76..86 => self.pass_time(),
            86..89 => self.core.maintain().await.map(|()| "maintain").unwrap(),
            89..94 => self.check().await,
            94..97 => self.decide().await,
            _ => self.resume().await,
        }
    }

    async fn enqueue(&mut self) -> &'static str {
        if self.known.len() >= MOST {
            return "full";
        }
        let uid = BUSINESSES[self.random.usize(..BUSINESSES.len())];
        let number = self.random.u32(0..200);
        let staged = match self.random.u8(0..10) {
            0..5 => Staged::new(&PushIncomeRequest::new(uid, IncomeRecord::new().id(format!("INV-{number}")))),
            5..7 => Staged::new(&PushExpenseRequest::new(uid, ExpenseRecord::new().id(format!("EXP-{number}")))),
            7..9 => Staged::new(&PushSaleRequest::new(uid, SaleRecord::new().id(format!("SALE-{number}")))),
            _ => Staged::new(&PushResetRequest::new(uid)),
        };
        let added = self.store.add(vec![staged.unwrap()]).await.unwrap();
        self.totals.enqueued += u64::from(matches!(added[..], [Added::New(_)]));
        "enqueue"
    }

    /// A sender stores what it knows, and claims the next batch.
    async fn claim(&mut self) -> &'static str {
        let sender = self.random.usize(..SENDERS);
        let settled = match std::mem::take(&mut self.senders[sender]) {
            Sender::Claimed(batch) => {
                self.senders[sender] = Sender::Claimed(batch);
                return "busy";
            }
            Sender::Answered(settled) => Some(settled),
            Sender::Idle => None,
        };
        if let Some(batch) = self.core.advance(settled, true).await.unwrap() {
            self.senders[sender] = Sender::Claimed(batch);
        }
        "claim"
    }

    async fn send(&mut self) -> &'static str {
        let sender = self.random.usize(..SENDERS);
        if let Sender::Claimed(batch) = &self.senders[sender] {
            self.senders[sender] = Sender::Answered(self.core.send(batch).await);
        }
        "send"
    }

    /// A callback arrives: any that is to come, and sometimes it comes again.
    async fn callback(&mut self) -> &'static str {
        let taken = {
            let mut service = self.service.lock().unwrap();
            let count = service.callbacks.len();
            if count == 0 {
                return "no callback";
            }
            let index = self.random.usize(..count);
            if self.random.u8(0..10) == 0 {
                service.callbacks[index].clone()
            } else {
                service.callbacks.swap_remove(index)
            }
        };
        self.deliver(taken).await;
        "callback"
    }

    async fn deliver(&mut self, (path, body): (String, serde_json::Value)) {
        let callback = self.inbox.endpoint().verify(&path, body.to_string()).unwrap();
        self.core.arrived(&callback).await.unwrap();
        self.totals.callbacks += 1;
    }

    /// The process ends, and another one begins. What was in memory is gone.
    async fn crash(&mut self) -> &'static str {
        self.senders = Default::default();
        self.totals.crashes += 1;
        let file = self.folder.path().join("outbox.db");
        self.store = testing::sqlite_store(&file).unwrap();
        let model = Arc::new(Model { service: self.service.clone(), inbox: self.inbox.clone() });
        self.core = testing::core(&self.builder, self.store.clone(), model, self.clock.clone(), self.random.u64(..));
        self.core.recover().await.unwrap();
        "crash"
    }

    fn pass_time(&mut self) -> &'static str {
        let hour = 3_600_000;
        let passed = match self.random.u8(0..20) {
            0 => 8 * hour,
            1 => -hour,
            _ => self.random.i64(0..15 * 60_000),
        };
        self.clock.0.fetch_add(passed, Ordering::SeqCst);
        "time"
    }

    async fn check(&mut self) -> &'static str {
        if let Some(check) = self.core.begin_check().await.unwrap() {
            self.core.send_check(&check).await;
        }
        "check"
    }

    async fn decide(&mut self) -> &'static str {
        let undecided = |entry: &&Entry| {
            matches!(entry.state, State::Unknown | State::Unconfirmed | State::Refused | State::Parked)
        };
        let numbers: Vec<_> = self.known.values().filter(undecided).map(|entry| entry.number).collect();
        let Some(number) = self.random.choice(numbers) else { return "nothing to decide" };
        let kind = match self.random.u8(0..3) {
            0 => business_data_connector_outbox::DecisionKind::Resend,
            1 => business_data_connector_outbox::DecisionKind::Drop,
            _ => business_data_connector_outbox::DecisionKind::Accept,
        };
        let (by, why) = ("Ada".to_owned(), "as drawn".to_owned());
        if self.store.decide(self.clock.now(), number, kind, by, why).await.is_ok() {
            self.totals.decisions += 1;
            if kind == business_data_connector_outbox::DecisionKind::Accept {
                self.accepted.insert(number);
            }
        }
        "decide"
    }

    async fn resume(&mut self) -> &'static str {
        self.store.resume(None).await.unwrap();
        "resume"
    }

    /// Nothing fails any more, and all that can still happen happens.
    pub async fn rest(&mut self) {
        self.service.lock().unwrap().calm = true;
        for _ in 0..60 {
            self.resume().await;
            for sender in 0..SENDERS {
                let settled = match std::mem::take(&mut self.senders[sender]) {
                    Sender::Claimed(batch) => Some(self.core.send(&batch).await),
                    Sender::Answered(settled) => Some(settled),
                    Sender::Idle => None,
                };
                if let Some(batch) = self.core.advance(settled, true).await.unwrap() {
                    self.senders[sender] = Sender::Claimed(batch);
                }
            }
            let callbacks = std::mem::take(&mut self.service.lock().unwrap().callbacks);
            for callback in callbacks {
                self.deliver(callback).await;
            }
            self.core.maintain().await.unwrap();
            self.check().await;
            let minutes = Duration::from_secs(20 * 60).as_millis();
            self.clock.0.fetch_add(i64::try_from(minutes).unwrap(), Ordering::SeqCst);
        }
        let service = self.service.lock().unwrap();
        (self.totals.sent, self.totals.pulls) = (service.sent, service.pulls);
    }
}
