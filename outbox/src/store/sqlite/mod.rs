//! The store in a SQLite file: one connection, which one thread owns.

mod arrive;
mod batches;
mod check;
mod claim;
mod column;
mod decide;
mod maintain;
mod open;
mod pause;
mod read;
mod rows;
mod schema;
mod settle;
mod thread;

use thread::Database;

use super::{
    Added, Addresses, Applied, Arrival, Batch, Check, Claim, Maintenance, NewPause, Settlement, Store, StoreFuture,
};
use crate::{Counts, Decision, Entry, Event, Pause, State, entry::DecisionKind, record::Staged, time::Millis};

/// A SQLite file with the tables of the outbox.
#[derive(Debug, Clone)]
pub struct SqliteStore {
    database: Database,
}

impl Store for SqliteStore {
    fn add(&self, records: Vec<Staged>) -> StoreFuture<'_, Vec<Added>> {
        self.database.run(move |db| records.into_iter().map(|record| settle::add(db, record)).collect())
    }

    fn advance(
        &self,
        now: Millis,
        settled: Option<Settlement>,
        claim: Option<Claim>,
    ) -> StoreFuture<'_, (Vec<Event>, Option<Batch>)> {
        self.database.run(move |db| {
            let mut events = Vec::new();
            if let Some(settled) = settled {
                settle::settle(db, now, &settled, &mut events)?;
            }
            let batch = match claim {
                Some(claim) => claim::claim(db, now, &claim, &mut events)?,
                None => None,
            };
            Ok((events, batch))
        })
    }

    fn arrived(&self, now: Millis, arrival: Arrival) -> StoreFuture<'_, (Vec<Event>, Applied)> {
        // The inbox has it, so it can wait.
        self.database.run_patiently(move |db| arrive::arrived(db, now, &arrival))
    }

    fn recover(&self, now: Millis, check_at: Millis) -> StoreFuture<'_, Vec<Event>> {
        self.database.run(move |db| maintain::recover(db, now, check_at))
    }

    fn maintain(&self, now: Millis, maintenance: Maintenance) -> StoreFuture<'_, Vec<Event>> {
        self.database.run(move |db| maintain::maintain(db, now, &maintenance))
    }

    fn begin_check(&self, now: Millis, again: Millis, addresses: Addresses) -> StoreFuture<'_, Option<Check>> {
        self.database.run(move |db| check::begin(db, now, again, &addresses))
    }

    fn decide(&self, now: Millis, number: i64, kind: DecisionKind, by: String, why: String) -> StoreFuture<'_, Event> {
        let decided = self.database.run(move |db| decide::decide(db, now, number, kind, &by, &why));
        Box::pin(async move { decided.await? })
    }

    fn pause(&self, now: Millis, uid: Option<String>, pause: NewPause) -> StoreFuture<'_, ()> {
        self.database.run(move |db| pause::pause(db, now, uid.as_deref(), &pause))
    }

    fn resume(&self, uid: Option<String>) -> StoreFuture<'_, bool> {
        self.database.run(move |db| pause::resume(db, uid.as_deref()))
    }

    fn pauses(&self) -> StoreFuture<'_, Vec<Pause>> {
        self.database.run(pause::pauses)
    }

    fn counts(&self) -> StoreFuture<'_, Counts> {
        self.database.run(read::counts)
    }

    fn entry(&self, number: i64) -> StoreFuture<'_, Option<Entry>> {
        self.database.run(move |db| read::entry(db, number))
    }

    fn find(&self, uid: String, record_id: String) -> StoreFuture<'_, Vec<Entry>> {
        self.database.run(move |db| read::find(db, &uid, &record_id))
    }

    fn entries(&self, state: Option<State>, after: i64, limit: usize) -> StoreFuture<'_, Vec<Entry>> {
        self.database.run(move |db| read::entries(db, state, after, limit))
    }

    fn decisions(&self, number: i64) -> StoreFuture<'_, Vec<Decision>> {
        self.database.run(move |db| decide::decisions(db, number))
    }
}
