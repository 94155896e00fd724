//! Applies the usual callbacks: those that confirm a whole batch. Many arrive at the same time, so they share a
//! transaction, and do not take the connections that workers need.

use std::{
    collections::{HashMap, HashSet},
    mem,
    sync::{Mutex, PoisonError},
};

use deadpool_postgres::Pool;
use futures_util::future::try_join3;
use tokio::sync::{Mutex as Turn, oneshot};

use super::{
    sends::move_sends,
    session::{Session, Time, bytes_list, client, get, texts},
};
use crate::{Event, OutboxError, State, store::Arrival, time::Millis};

/// What a callback confirmed.
pub(super) enum Confirmed {
    /// There is no such batch.
    Foreign,
    /// All of the batch.
    Whole(Vec<Event>),
    /// What followed the batch; there may be requests that do not.
    Partly(Vec<Event>),
}

struct Waiting {
    send: [u8; 16],
    /// Whether it was left for the next transaction, since the answer to the batch was not stored yet.
    was_early: bool,
    told: oneshot::Sender<Confirmed>,
}

/// Callbacks that wait to be applied.
#[derive(Default)]
pub(super) struct Confirmations {
    waiting: Mutex<Vec<Waiting>>,
    turn: Turn<()>,
}

impl Confirmations {
    /// Whether a callback is a usual one.
    pub(super) fn has(arrival: &Arrival) -> bool {
        !arrival.failed && arrival.found.is_none()
    }

    /// Applies a callback with all that wait. One whose transaction fails is told by its connection.
    pub(super) async fn confirm(
        &self,
        pool: &Pool,
        time: Time,
        now: Millis,
        send: [u8; 16],
    ) -> Result<Confirmed, OutboxError> {
        let (told, mut confirmed) = oneshot::channel();
        self.wait(Waiting { send, was_early: false, told });
        loop {
            let turn = self.turn.lock().await;
            match confirmed.try_recv() {
                Ok(confirmed) => return Ok(confirmed),
                Err(oneshot::error::TryRecvError::Empty) => {}
                Err(oneshot::error::TryRecvError::Closed) => {
                    return Err(OutboxError::store("a callback was not applied, since others with it were not"));
                }
            }
            let all = mem::take(&mut *self.waiting.lock().unwrap_or_else(PoisonError::into_inner));
            for waiting in confirm_all(pool, time, now, all).await? {
                self.wait(waiting);
            }
            drop(turn);
        }
    }

    fn wait(&self, waiting: Waiting) {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).push(waiting);
    }
}

/// Confirms batches, and returns those whose answer is being stored, so that this does not wait for that, nor that for
/// this. The second time, they are confirmed anyway.
async fn confirm_all(pool: &Pool, time: Time, now: Millis, all: Vec<Waiting>) -> Result<Vec<Waiting>, OutboxError> {
    let mut client = client(pool).await?;
    let session = Session::begin(&mut client, time, now).await?;
    let ids: Vec<&[u8]> = all.iter().map(|waiting| waiting.send.as_slice()).collect();
    let early: Vec<&[u8]> = all.iter().filter(|waiting| waiting.was_early).map(|waiting| &waiting.send[..]).collect();
    let found = try_join3(known(&session, &ids), lock_lanes(&session, &ids), lock_sends(&session, &ids, &early));
    let (known, lanes, locked) = found.await?;
    let ids: Vec<&[u8]> = locked.iter().map(Vec::as_slice).collect();
    let underway = [State::Sending, State::Taken];
    let mut events: HashMap<Vec<u8>, Vec<Event>> = HashMap::new();
    for (id, event) in move_sends(&session, &ids, &underway, State::Confirmed, None).await? {
        events.entry(id).or_default().push(event);
    }
    if !lanes.is_empty() {
        // The service has answered.
        let sql = "UPDATE bdc_outbox.lanes SET not_before = 'epoch' WHERE uid = ANY($1)";
        let is_released = |uid: &&String| events.values().flatten().any(|event| event.uid.as_ref() == Some(uid));
        let released: Vec<&String> = lanes.iter().filter(is_released).collect();
        session.query(sql, &[texts(&released)]).await?;
    }
    session.commit().await?;

    let mut again = Vec::new();
    for waiting in all {
        let id = waiting.send.as_slice();
        let confirmed = match known.get(id) {
            None => Confirmed::Foreign,
            Some(_) if !locked.contains(id) => {
                again.push(Waiting { was_early: true, ..waiting });
                continue;
            }
            Some(records) => match events.remove(id).unwrap_or_default() {
                events if events.len() == *records => Confirmed::Whole(events),
                events => Confirmed::Partly(events),
            },
        };
        // Nobody waits for it any more if that was given up.
        let _ = waiting.told.send(confirmed);
    }
    Ok(again)
}

/// The batches that there are, with how many requests they had.
async fn known(session: &Session<'_>, ids: &[&[u8]]) -> Result<HashMap<Vec<u8>, usize>, OutboxError> {
    let sql = "SELECT id, records FROM bdc_outbox.sends WHERE id = ANY($1)";
    let read = |row| Ok((get(row, 0)?, usize::try_from(get::<i32>(row, 1)?).unwrap_or_default()));
    session.query(sql, &[bytes_list(&ids)]).await?.iter().map(read).collect()
}

/// Locks lanes that wait. Others are left alone, so that what they send next does not wait for this.
async fn lock_lanes(session: &Session<'_>, ids: &[&[u8]]) -> Result<Vec<String>, OutboxError> {
    let sql = "
        SELECT uid FROM bdc_outbox.lanes
        WHERE not_before > 'epoch' AND uid IN (SELECT uid FROM bdc_outbox.sends WHERE id = ANY($1))
        ORDER BY uid FOR UPDATE OF lanes";
    session.query(sql, &[bytes_list(&ids)]).await?.iter().map(|row| get(row, 0)).collect()
}

async fn lock_sends(session: &Session<'_>, ids: &[&[u8]], early: &[&[u8]]) -> Result<HashSet<Vec<u8>>, OutboxError> {
    let otherwise = if early.len() == ids.len() { "" } else { "SKIP LOCKED" };
    let sql = format!(
        "SELECT id FROM bdc_outbox.sends WHERE id = ANY($1) AND (state IS DISTINCT FROM 1 OR id = ANY($2))
        ORDER BY id FOR UPDATE {otherwise}"
    );
    session.query(&sql, &[bytes_list(&ids), bytes_list(&early)]).await?.iter().map(|row| get(row, 0)).collect()
}
