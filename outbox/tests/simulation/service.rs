//! A model of the service: what it took, executed and refused, and the callbacks that it will send.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard},
    time::Duration,
};

use business_data_connector::{Operation, Stored, inbox::Inbox};
use business_data_connector_outbox::{
    OutboxError,
    testing::{Address, Answer, Transport},
};
use serde_json::{Value, json};

/// A record: its business and its `id`. One without an `id` has the name of its operation.
pub type Key = (String, String);

#[derive(Default)]
pub struct Service {
    /// How often each record was taken.
    pub taken: BTreeMap<Key, u32>,
    /// What a pull returns.
    pub held: BTreeSet<Key>,
    pub refused: BTreeSet<Key>,
    /// For each business, the records of each call that was taken, in order.
    pub calls: BTreeMap<String, Vec<Vec<String>>>,
    /// The paths and bodies of callbacks that are to come.
    pub callbacks: Vec<(String, Value)>,
    pub random: fastrand::Rng,
    pub sent: u64,
    pub pulls: u64,
    /// Nothing fails any more.
    pub calm: bool,
}

pub struct Model {
    pub service: Arc<Mutex<Service>>,
    pub inbox: Inbox,
}

impl Model {
    fn service(&self) -> MutexGuard<'_, Service> {
        self.service.lock().unwrap()
    }
}

impl Transport for Model {
    fn address(&self, operation: &'static Operation, uid: Option<&str>) -> Result<Address, OutboxError> {
        let address = self.inbox.address_for(operation, uid).unwrap();
        let (id, url) = (address.id(), address.as_str().to_owned());
        Ok(Address { id, url, signature: address.signature().to_owned() })
    }

    fn send(&self, request: Stored) -> std::pin::Pin<Box<dyn Future<Output = Answer> + Send + '_>> {
        let body: Value = serde_json::from_str(request.request()).unwrap();
        let answer = self.service().answer(request.operation(), &body);
        Box::pin(async move { answer })
    }
}

impl Service {
    fn answer(&mut self, operation: &str, body: &Value) -> Answer {
        self.sent += 1;
        let uid = body["uid"].as_str().unwrap().to_owned();
        let path = body["webhook"].as_str().map(|url| url.trim_start_matches("http://127.0.0.1:9").to_owned());
        let pull = operation.starts_with("pull_");
        self.pulls += u64::from(pull);
        let why = || "as drawn".to_owned();
        let draw = if self.calm { 99 } else { self.random.u8(0..100) };
        match draw {
            0..5 => return Answer::NeverSent(why()),
            5..8 => return Answer::Wait(Duration::from_secs(self.random.u64(1..60)), why()),
            8..10 => return Answer::Unauthorized(why()),
            10..15 => return Answer::Unknown(why()),
            15..16 => return Answer::NotTheService(why()),
            16..17 => return Answer::Misconfigured(why()),
            17..22 if !pull => {
                self.refused.extend(keys(operation, &uid, body));
                return Answer::Refused(why());
            }
            _ => {}
        }
        if pull {
            self.pulled(operation, &uid, path.unwrap());
        } else {
            self.take(operation, &uid, body, path);
        }
        // Taken, and the answer got lost.
        if draw < 32 { Answer::Unknown(why()) } else { Answer::Taken }
    }

    fn pulled(&mut self, operation: &str, uid: &str, path: String) {
        let prefix = if operation == "pull_income" { "INV" } else { "EXP" };
        let mine = self.held.iter().filter(|(owner, id)| owner == uid && id.starts_with(prefix));
        let records: Vec<_> = mine.map(|(_, id)| json!({ "id": id, "nested": [{ "other": id }] })).collect();
        self.callbacks.push((path, json!({ "response": { "error": false, "records": records } })));
    }

    fn take(&mut self, operation: &str, uid: &str, body: &Value, path: Option<String>) {
        let keys = keys(operation, uid, body);
        let names: Vec<_> = keys.iter().map(|(_, id)| id.clone()).collect();
        self.calls.entry(uid.to_owned()).or_default().push(names);
        let draw = if self.calm { 99 } else { self.random.u8(0..100) };
        let (executed, told) = match draw {
            0..6 => (false, true),
            6..12 => (true, false),
            12..14 => (false, false),
            _ => (true, true),
        };
        for key in keys {
            *self.taken.entry(key.clone()).or_default() += 1;
            if executed {
                self.held.insert(key);
            } else {
                self.refused.insert(key);
            }
        }
        let Some(path) = path.filter(|_| told) else { return };
        if draw > 90 && !self.calm {
            self.callbacks.push((path.clone(), json!({ "response": { "error": null, "hardrefreshing": true } })));
        }
        self.callbacks.push((path, json!({ "response": { "error": !executed, "message": "as drawn" } })));
    }
}

/// The records of a request.
fn keys(operation: &str, uid: &str, body: &Value) -> Vec<Key> {
    let key = |id: &str| (uid.to_owned(), id.to_owned());
    if operation == "push_many" {
        let lists = ["income", "expenses"].into_iter().filter_map(|member| body["data"][member].as_array());
        return lists.flatten().map(|record| key(record["id"].as_str().unwrap())).collect();
    }
    vec![key(body["data"]["id"].as_str().unwrap_or(operation))]
}
