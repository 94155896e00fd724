//! The store in a PostgreSQL database, from which any number of workers send. No session keeps anything, so that a
//! pooler may stand between.

mod arrive;
mod check;
mod claim;
mod confirm;
mod decide;
mod lanes;
mod maintain;
mod next;
mod pause;
mod read;
mod rows;
pub(crate) mod schema;
mod sends;
mod session;
mod settle;

use deadpool_postgres::Pool;
use futures_util::future::try_join;

use self::{
    claim::Claimed,
    confirm::{Confirmations, Confirmed},
    lanes::Lanes,
    next::next_lane,
    session::{Session, Time, client},
};
use super::{
    Added, Addresses, Applied, Arrival, Batch, Check, Claim, Maintenance, NewPause, Settlement, Store, StoreFuture,
};
use crate::{
    Counts, Decision, Entry, Event, OutboxError, Pause, State, entry::DecisionKind, record::Staged, time::Millis,
};

/// A PostgreSQL database with the tables of the outbox.
pub(crate) struct PostgresStore {
    pool: Pool,
    time: Time,
    lanes: Lanes,
    confirmations: Confirmations,
}

impl PostgresStore {
    /// A store whose tables are there.
    pub(crate) async fn open(pool: Pool) -> Result<Self, OutboxError> {
        schema::examine(&pool).await?;
        let (lanes, confirmations) = (Lanes::now_and_then(), Confirmations::default());
        Ok(Self { pool, time: Time::Database, lanes, confirmations })
    }

    /// The same, with the clock of the caller, and without waiting for anything.
    #[cfg(feature = "testing")]
    pub(crate) async fn open_for_tests(pool: Pool) -> Result<Self, OutboxError> {
        Ok(Self { time: Time::Caller, lanes: Lanes::always(), ..Self::open(pool).await? })
    }

    /// Settles and claims, in as many transactions as it takes until there is a batch or nothing to send.
    async fn advance(
        &self,
        now: Millis,
        mut settled: Option<Settlement>,
        claim: Option<Claim>,
    ) -> Result<(Vec<Event>, Option<Batch>), OutboxError> {
        let mut client = client(&self.pool).await?;
        let mut made = claim.is_some() && self.lanes.make_if_due(&mut client, self.time, now).await?;
        let mut events = Vec::new();
        loop {
            let session = Session::begin(&mut client, self.time, now).await?;
            let Some(claim) = &claim else {
                if let Some(settled) = settled.take() {
                    events.extend(settle::settle(&session, &settled).await?);
                }
                session.commit().await?;
                return Ok((events, None));
            };
            let lane = match settled.take() {
                // What comes next does not depend on it.
                Some(settled) if settle::is_whole(&settled) => {
                    let both = try_join(settle::settle(&session, &settled), next_lane(&session, claim));
                    let (moved, lane) = both.await?;
                    events.extend(moved);
                    lane
                }
                Some(settled) => {
                    events.extend(settle::settle(&session, &settled).await?);
                    next_lane(&session, claim).await?
                }
                None => next_lane(&session, claim).await?,
            };
            let claimed = claim::claim(session, claim, lane, &mut events).await?;
            match claimed {
                Claimed::Batch(batch) => return Ok((events, Some(batch))),
                Claimed::More => {}
                Claimed::Nothing if made => return Ok((events, None)),
                // Somebody may have added something since the last time.
                Claimed::Nothing => {
                    made = true;
                    if !self.lanes.make(&mut client, self.time, now).await? {
                        return Ok((events, None));
                    }
                }
            }
        }
    }

    /// Applies a callback: a usual one together with others.
    async fn arrived(&self, now: Millis, arrival: Arrival) -> Result<(Vec<Event>, Applied), OutboxError> {
        let mut events = Vec::new();
        if Confirmations::has(&arrival) {
            let confirmed = self.confirmations.confirm(&self.pool, self.time, now, arrival.send.as_bytes()).await?;
            match confirmed {
                Confirmed::Foreign => return Ok((events, Applied::Foreign)),
                Confirmed::Whole(events) => return Ok((events, Applied::Known)),
                Confirmed::Partly(some) => events = some,
            }
        }
        let mut client = client(&self.pool).await?;
        let session = Session::begin(&mut client, self.time, now).await?;
        let (others, applied) = arrive::arrived(&session, &arrival).await?;
        session.commit().await?;
        events.extend(others);
        Ok((events, applied))
    }
}

/// Runs one transaction.
macro_rules! transact {
    ($store:expr, $now:expr, |$session:ident| $work:expr) => {
        Box::pin(async move {
            let mut client = client(&$store.pool).await?;
            let $session = Session::begin(&mut client, $store.time, $now).await?;
            let result = {
                let $session = &$session;
                $work.await?
            };
            $session.commit().await?;
            Ok(result)
        })
    };
}

impl Store for PostgresStore {
    fn is_shared(&self) -> bool {
        true
    }

    fn add(&self, records: Vec<Staged>) -> StoreFuture<'_, Vec<Added>> {
        transact!(self, 0, |session| settle::add(session, records))
    }

    fn advance(
        &self,
        now: Millis,
        settled: Option<Settlement>,
        claim: Option<Claim>,
    ) -> StoreFuture<'_, (Vec<Event>, Option<Batch>)> {
        Box::pin(self.advance(now, settled, claim))
    }

    fn arrived(&self, now: Millis, arrival: Arrival) -> StoreFuture<'_, (Vec<Event>, Applied)> {
        Box::pin(self.arrived(now, arrival))
    }

    fn recover(&self, now: Millis, check_at: Millis) -> StoreFuture<'_, Vec<Event>> {
        transact!(self, now, |session| maintain::recover(session, check_at))
    }

    fn maintain(&self, now: Millis, maintenance: Maintenance) -> StoreFuture<'_, Vec<Event>> {
        transact!(self, now, |session| maintain::maintain(session, &maintenance))
    }

    fn begin_check(&self, now: Millis, again: Millis, addresses: Addresses) -> StoreFuture<'_, Option<Check>> {
        transact!(self, now, |session| check::begin(session, again, &addresses))
    }

    fn decide(&self, now: Millis, number: i64, kind: DecisionKind, by: String, why: String) -> StoreFuture<'_, Event> {
        transact!(self, now, |session| decide::decide(session, number, kind, &by, &why))
    }

    fn pause(&self, now: Millis, uid: Option<String>, pause: NewPause) -> StoreFuture<'_, ()> {
        transact!(self, now, |session| pause::pause(session, uid.as_deref(), &pause))
    }

    fn resume(&self, uid: Option<String>) -> StoreFuture<'_, bool> {
        transact!(self, 0, |session| pause::resume(session, uid.as_deref()))
    }

    fn pauses(&self) -> StoreFuture<'_, Vec<Pause>> {
        transact!(self, 0, |session| pause::pauses(session))
    }

    fn counts(&self) -> StoreFuture<'_, Counts> {
        transact!(self, 0, |session| read::counts(session))
    }

    fn entry(&self, number: i64) -> StoreFuture<'_, Option<Entry>> {
        transact!(self, 0, |session| read::entry(session, number))
    }

    fn find(&self, uid: String, record_id: String) -> StoreFuture<'_, Vec<Entry>> {
        transact!(self, 0, |session| read::find(session, &uid, &record_id))
    }

    fn entries(&self, state: Option<State>, after: i64, limit: usize) -> StoreFuture<'_, Vec<Entry>> {
        transact!(self, 0, |session| read::entries(session, state, after, limit))
    }

    fn decisions(&self, number: i64) -> StoreFuture<'_, Vec<Decision>> {
        transact!(self, 0, |session| decide::decisions(session, number))
    }
}
