//! The store in memory.

use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    future::ready,
    sync::{Mutex, MutexGuard, PoisonError},
};

use super::store::{Added, NewCallback, Store, StoreError, StoreFuture, StoredCallback};
use crate::callback::CallbackId;

/// Keeps callbacks in memory: for scripts, tests, and applications that can ask again for what is lost when the process
/// ends. It is the default.
///
/// Its memory is bounded, and it never drops a callback that was answered 200: when it is full, further ones are
/// answered 503, and the service tries them again. It holds
///
/// * at most [`callbacks`](Self::callbacks) callbacks with at most [`bytes`](Self::bytes) bytes of bodies; one half is
///   reserved for those that somebody awaits, so that callbacks which nobody takes cannot keep them out;
/// * at most [`per_address`](Self::per_address) of one address;
/// * the digests of the callbacks of the last 65,536 addresses, to recognise duplicates.
///
/// A callback is removed once it is handled: when an awaiting call has returned it, or by
/// [`Received::done`](super::Received::done).
#[derive(Debug)]
pub struct MemoryStore {
    callbacks: usize,
    bytes: usize,
    per_address: usize,
    held: Mutex<Held>,
}

/// How many addresses are remembered.
const REMEMBERED: usize = 65_536;

#[derive(Debug, Default)]
struct Held {
    last: u64,
    bytes: usize,
    callbacks: BTreeMap<u64, StoredCallback>,
    addresses: HashMap<CallbackId, Address>,
    /// The addresses in the order of their first callback.
    order: VecDeque<CallbackId>,
}

/// What is remembered of an address.
#[derive(Debug, Default)]
struct Address {
    digests: Vec<[u8; 32]>,
    had_final: bool,
    /// The numbers of its callbacks that are not handled.
    held: Vec<u64>,
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

impl MemoryStore {
    /// A store for 10,000 callbacks with 256 MiB, and 100 of one address.
    pub fn new() -> Self {
        Self { callbacks: 10_000, bytes: 256 * 1024 * 1024, per_address: 100, held: Mutex::default() }
    }

    /// Sets how many callbacks are held at most.
    #[must_use]
    pub fn callbacks(mut self, callbacks: usize) -> Self {
        self.callbacks = callbacks;
        self
    }

    /// Sets how many bytes of bodies are held at most.
    #[must_use]
    pub fn bytes(mut self, bytes: usize) -> Self {
        self.bytes = bytes;
        self
    }

    /// Sets how many different callbacks one address can have.
    #[must_use]
    pub fn per_address(mut self, callbacks: usize) -> Self {
        self.per_address = callbacks;
        self
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add_now(&self, callback: NewCallback) -> Result<Added, StoreError> {
        let mut held = self.held();
        let known = held.addresses.get(&callback.id);
        if known.is_some_and(|address| address.digests.contains(&callback.digest)) {
            return Ok(Added::Duplicate);
        }
        if known.is_some_and(|address| address.digests.len() >= self.per_address) {
            return Err(StoreError::new("the address has more different callbacks than the store accepts"));
        }
        let share = if callback.awaited { 1 } else { 2 };
        if held.callbacks.len() >= self.callbacks / share || held.bytes + callback.body.len() > self.bytes / share {
            return Err(StoreError::new(
                "the store in memory is full of callbacks that nobody has taken; take them with `Inbox::callbacks`, or \
                 use a store on disk",
            ));
        }
        Ok(Added::New(held.add(callback)))
    }
}

impl Held {
    fn add(&mut self, callback: NewCallback) -> u64 {
        self.last += 1;
        self.bytes += callback.body.len();
        let (id, number) = (callback.id, self.last);
        if !self.addresses.contains_key(&id) {
            self.order.push_back(id);
        }
        let address = self.addresses.entry(id).or_default();
        address.digests.push(callback.digest);
        address.held.push(number);
        let after_final = address.had_final;
        address.had_final |= !callback.interim;
        self.callbacks.insert(number, StoredCallback { number, after_final, callback });
        self.forget();
        number
    }

    /// Forgets the oldest addresses, but none that has a callback which is not handled.
    fn forget(&mut self) {
        for _ in REMEMBERED..self.order.len() {
            let Some(oldest) = self.order.pop_front() else { return };
            if self.addresses.get(&oldest).is_some_and(|address| !address.held.is_empty()) {
                self.order.push_back(oldest);
            } else {
                self.addresses.remove(&oldest);
            }
        }
    }

    fn remove(&mut self, number: u64) {
        let Some(removed) = self.callbacks.remove(&number) else { return };
        self.bytes -= removed.callback.body.len();
        if let Some(address) = self.addresses.get_mut(&removed.callback.id) {
            address.held.retain(|held| *held != number);
        }
    }
}

impl Store for MemoryStore {
    fn add(&self, callback: NewCallback) -> StoreFuture<'_, Added> {
        Box::pin(ready(self.add_now(callback)))
    }

    fn of_address(&self, id: CallbackId, after: u64) -> StoreFuture<'_, Vec<StoredCallback>> {
        let held = self.held();
        let numbers = held.addresses.get(&id).into_iter().flat_map(|address| &address.held);
        let found = numbers.filter(|number| **number > after).filter_map(|number| held.callbacks.get(number)).cloned();
        Box::pin(ready(Ok(found.collect())))
    }

    fn unhandled(&self, after: u64, limit: usize) -> StoreFuture<'_, Vec<StoredCallback>> {
        let held = self.held();
        let found = held.callbacks.range(after.saturating_add(1)..).take(limit).map(|(_, stored)| stored.clone());
        Box::pin(ready(Ok(found.collect())))
    }

    fn set_handled(&self, number: u64) -> StoreFuture<'_, ()> {
        self.held().remove(number);
        Box::pin(ready(Ok(())))
    }

    fn is_durable(&self) -> bool {
        false
    }
}
