//! What has to be true after every step, and what has to be true once everything has come to rest.

use std::collections::BTreeMap;

use business_data_connector_outbox::{Entry, State};

use crate::{
    service::{Key, Service},
    world::{Sender, World},
};

/// How far a request has come. It does not come back.
fn rank(state: State) -> u8 {
    match state {
        State::Queued => 0,
        State::Sending => 1,
        State::Taken => 2,
        State::Unknown | State::Unconfirmed => 3,
        _ => 4,
    }
}

fn key(entry: &Entry) -> Key {
    let id = entry.record_id.clone().unwrap_or_else(|| entry.operation.clone());
    (entry.uid.clone().unwrap_or_default(), id)
}

pub async fn check(world: &mut World) -> Result<(), String> {
    let entries = world.store.entries(None, 0, 1_000).await.map_err(|error| error.to_string())?;
    let now: BTreeMap<i64, Entry> = entries.into_iter().map(|entry| (entry.number, entry)).collect();
    for (number, old) in &world.known {
        let new = now.get(number).ok_or_else(|| format!("{old:?} vanished"))?;
        moved(world, old, new)?;
    }
    sent(world, &now)?;
    lanes(world)?;
    counted(world, &now).await?;
    world.known = now;
    Ok(())
}

/// No state goes back, and each is left with evidence.
fn moved(world: &World, old: &Entry, new: &Entry) -> Result<(), String> {
    let service = world.service.lock().unwrap();
    let (was, is) = (old.state, new.state);
    let resent = new.resent > old.resent;
    if rank(is) < rank(was) && !resent && (was, is) != (State::Sending, State::Queued) {
        return Err(format!("{was} went back to {is}: {new:?}"));
    }
    if rank(was) == 4 && was != is && !resent && is != State::Dropped {
        return Err(format!("{was} was settled, and became {is}: {new:?}"));
    }
    let key = key(new);
    if is == State::Confirmed && was != is {
        let accepted = world.accepted.contains(&new.number);
        let held = service.held.contains(&key) || (new.record_id.is_none() && service.taken.contains_key(&key));
        if !held && !accepted {
            return Err(format!("confirmed without evidence: {new:?}"));
        }
    }
    if is == State::Refused && was != is && !service.refused.contains(&key) {
        return Err(format!("refused without evidence: {new:?}"));
    }
    Ok(())
}

/// A record is taken once, and once more for each time that a person had it sent again.
fn sent(world: &World, now: &BTreeMap<i64, Entry>) -> Result<(), String> {
    let service = world.service.lock().unwrap();
    let mut allowed: BTreeMap<Key, u32> = BTreeMap::new();
    for entry in now.values() {
        *allowed.entry(key(entry)).or_default() += 1 + entry.resent;
    }
    for (key, taken) in &service.taken {
        let allowed = allowed.get(key).copied().unwrap_or_default();
        if *taken > allowed {
            return Err(format!("{key:?} was taken {taken} times, and {allowed} are allowed"));
        }
    }
    order(&service, now)
}

/// The calls of a business are in the order of what they carry, apart from what a person had sent again.
fn order(service: &Service, now: &BTreeMap<i64, Entry>) -> Result<(), String> {
    for (uid, calls) in &service.calls {
        let mut last = 0;
        for call in calls {
            let numbers = call.iter().filter_map(|id| {
                let mut same = now.values().filter(|entry| key(entry) == (uid.clone(), id.clone()));
                // An `id` that was dropped and added again, or none at all, is not told apart.
                same.next().filter(|entry| same.next().is_none() && entry.resent == 0).map(|entry| entry.number)
            });
            let numbers: Vec<_> = numbers.collect();
            let (Some(first), Some(most)) = (numbers.iter().min(), numbers.iter().max()) else { continue };
            if *first < last {
                return Err(format!("{uid}: {first} was sent after {last}"));
            }
            last = *most;
        }
    }
    Ok(())
}

/// One request of a business is under way at a time.
fn lanes(world: &World) -> Result<(), String> {
    let mut under_way: Vec<_> = world
        .senders
        .iter()
        .filter_map(|sender| match sender {
            Sender::Idle => None,
            Sender::Claimed(batch) => Some(batch.uid.as_str()),
            Sender::Answered(settled) => Some(settled.uid.as_str()),
        })
        .collect();
    let all = under_way.len();
    under_way.sort_unstable();
    under_way.dedup();
    if under_way.len() < all { Err("two requests of a business are under way".to_owned()) } else { Ok(()) }
}

async fn counted(world: &World, now: &BTreeMap<i64, Entry>) -> Result<(), String> {
    let counts = world.store.counts().await.map_err(|error| error.to_string())?;
    for state in State::ALL {
        let there = now.values().filter(|entry| entry.state == state).count();
        if counts.get(state) != there as u64 {
            return Err(format!("{there} requests are {state}, and {} are counted", counts.get(state)));
        }
    }
    Ok(())
}

/// Every request has a fate, or waits for a person.
pub async fn at_rest(world: &mut World) -> Result<(), String> {
    check(world).await?;
    for entry in world.known.values() {
        let held = world.known.values().any(|other| {
            other.uid == entry.uid
                && matches!(other.state, State::Unknown | State::Unconfirmed)
                && other.number != entry.number
        });
        let known = match entry.state {
            State::Sending | State::Taken => false,
            // A reset waits for what is before it, and everything for a reset.
            State::Queued => held,
            State::Unknown | State::Unconfirmed => {
                entry.absent || !entry.operation.ends_with("income") && !entry.operation.ends_with("expense")
            }
            _ => true,
        };
        if !known {
            return Err(format!("nobody knows, and nobody is asked: {entry:?}"));
        }
        world.totals.confirmed += u64::from(entry.state == State::Confirmed);
    }
    Ok(())
}
