//! Adds requests, and stores what became of batches.

use std::collections::HashMap;

use futures_util::future::try_join;

use super::{
    pause,
    rows::{Locked, Move, lock_of, transition},
    sends::{left, lock_send, move_sends},
    session::{Session, bytes, get, text, texts, time},
};
use crate::{
    Event, OutboxError, State,
    record::{Staged, is_key},
    store::{Added, Settlement},
};

/// How many bytes of requests are added by one statement.
const BYTES: usize = 16 * 1024 * 1024;

type Key = (String, String, Option<String>);

fn key(record: &Staged) -> Key {
    (record.uid().to_owned(), record.operation().to_owned(), record.record_id().map(str::to_owned))
}

pub(super) async fn add(session: &Session<'_>, records: Vec<Staged>) -> Result<Vec<Added>, OutboxError> {
    // A key of the caller's own was not examined.
    if let Some(record) = records.iter().find(|record| record.record_id().is_some_and(|id| !is_key(id))) {
        let problem = format!("{}: the key has a NUL character, or is too long", record.operation());
        return Err(OutboxError::Invalid(problem));
    }
    let mut added = Vec::with_capacity(records.len());
    let mut records = records.into_iter().peekable();
    while records.peek().is_some() {
        let (mut chunk, mut bytes) = (Vec::new(), 0_usize);
        while let Some(record) = records.next_if(|_| bytes < BYTES) {
            bytes = bytes.saturating_add(record.request().len());
            chunk.push(record);
        }
        added.extend(add_chunk(session, chunk).await?);
    }
    Ok(added)
}

/// Adds records, and compares those whose key is taken with what is there.
async fn add_chunk(session: &Session<'_>, records: Vec<Staged>) -> Result<Vec<Added>, OutboxError> {
    let mut numbers = insert(session, &records).await?;
    let mut new = Vec::with_capacity(records.len());
    for record in &records {
        new.push(numbers.get_mut(&key(record)).and_then(|numbers| numbers.pop()));
    }
    let mut taken = Vec::new();
    for (record, number) in records.iter().zip(&new) {
        if number.is_none() {
            taken.push(record);
        }
    }
    let mut there = requests(session, &taken).await?.into_iter();
    let mut added = Vec::with_capacity(records.len());
    for (record, number) in records.into_iter().zip(new) {
        added.push(match number {
            Some(number) => Added::New(number),
            None => match there.next().flatten() {
                Some(same) if same => Added::There,
                Some(_) => Added::Differs(record),
                None => return Err(OutboxError::store("a record was removed while it was added again; add it again")),
            },
        });
    }
    Ok(added)
}

/// The numbers of what was added, the lowest last.
async fn insert(session: &Session<'_>, records: &[Staged]) -> Result<HashMap<Key, Vec<i64>>, OutboxError> {
    let sql = "
        INSERT INTO bdc_outbox.records (uid, operation, record_id, request)
        SELECT uid, operation, record_id, request
        FROM unnest($1, $2, $3, $4) WITH ORDINALITY AS added (uid, operation, record_id, request, position)
        ORDER BY position
        ON CONFLICT (uid, record_id, operation) WHERE record_id IS NOT NULL AND state <> 8 DO NOTHING
        RETURNING number, uid, operation, record_id";
    let (uids, operations): (Vec<_>, Vec<_>) = records.iter().map(|record| (record.uid(), record.operation())).unzip();
    let (ids, requests): (Vec<_>, Vec<_>) = records.iter().map(|record| (record.record_id(), record.request())).unzip();
    let values = [texts(&uids), texts(&operations), texts(&ids), texts(&requests)];
    let mut numbers: HashMap<Key, Vec<i64>> = HashMap::new();
    for row in session.query(sql, &values).await?.iter().rev() {
        numbers.entry((get(row, 1)?, get(row, 2)?, get(row, 3)?)).or_default().push(get(row, 0)?);
    }
    numbers.values_mut().for_each(|numbers| numbers.sort_unstable_by_key(|number| std::cmp::Reverse(*number)));
    Ok(numbers)
}

/// Whether what is there of each record is the same.
async fn requests(session: &Session<'_>, records: &[&Staged]) -> Result<Vec<Option<bool>>, OutboxError> {
    if records.is_empty() {
        return Ok(Vec::new());
    }
    let sql = "
        SELECT records.request = asked.request
        FROM unnest($1, $2, $3, $4) WITH ORDINALITY AS asked (uid, operation, record_id, request, position)
        LEFT JOIN bdc_outbox.records ON records.uid = asked.uid AND records.record_id = asked.record_id
            AND records.operation = asked.operation AND records.record_id IS NOT NULL AND records.state <> 8
        ORDER BY position";
    let (uids, operations): (Vec<_>, Vec<_>) = records.iter().map(|record| (record.uid(), record.operation())).unzip();
    let (ids, bodies): (Vec<_>, Vec<_>) = records.iter().map(|record| (record.record_id(), record.request())).unzip();
    let values = [texts(&uids), texts(&operations), texts(&ids), texts(&bodies)];
    session.query(sql, &values).await?.iter().map(|row| get(row, 0)).collect()
}

/// Whether a batch moves as one, and nothing else changes.
pub(super) fn is_whole(Settlement { verdict, .. }: &Settlement) -> bool {
    matches!(verdict.state, State::Taken | State::Confirmed) && verdict.pause.is_none()
}

/// A callback that was there first is not undone: only requests that are still sending move. A worker whose lease has
/// ended finds none, and another batch in its lane.
pub(super) async fn settle(session: &Session<'_>, settled: &Settlement) -> Result<Vec<Event>, OutboxError> {
    let verdict = &settled.verdict;
    let reason = verdict.reason.as_deref();
    let id = settled.send.as_bytes().to_vec();
    let locked = try_join(free_lane(session, settled), lock_send(session, &id));
    if is_whole(settled) {
        let ids = [id.as_slice()];
        let moved = move_sends(session, &ids, &[State::Sending], verdict.state, reason);
        let (_, moved) = try_join(locked, moved).await?;
        return Ok(moved.into_iter().map(|(_, event)| event).collect());
    }
    locked.await?;
    let mut rows = lock_of(session, &id, &[], Locked::Wait).await?;
    rows.retain(|row| row.state == State::Sending);
    let exhausted = |attempts: i32| {
        let allowed = verdict.attempts.filter(|_| verdict.state == State::Queued && !verdict.alone);
        allowed.is_some_and(|allowed| i64::from(attempts) >= i64::from(allowed))
    };
    let (parked, moved): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| exhausted(row.attempts));
    let mut events = Vec::new();
    for (rows, to) in [(moved, verdict.state), (parked, State::Parked)] {
        let check_at = verdict.check_at.map(|time| session.at(time));
        let told = Move { reason, check_at, alone: verdict.alone, resent: false };
        events.extend(transition(session, rows, to, told).await?);
    }
    left(session, &id).await?;
    if let Some(new) = &verdict.pause {
        pause::pause(session, None, new).await?;
    }
    Ok(events)
}

async fn free_lane(session: &Session<'_>, Settlement { send, uid, verdict }: &Settlement) -> Result<(), OutboxError> {
    let sql = "
        UPDATE bdc_outbox.lanes SET send = NULL, lease_until = NULL, not_before = coalesce($3, 'epoch'),
            failures = CASE WHEN $3 IS NULL THEN 0 ELSE failures + 1 END
        WHERE uid = $1 AND send = $2";
    let id = send.as_bytes().to_vec();
    let not_before = verdict.not_before.map(|time| session.at(time));
    session.query(sql, &[text(uid), bytes(&id), time(&not_before)]).await.map(drop)
}
