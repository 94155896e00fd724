use std::{fmt, time::SystemTime};

use crate::State;

/// How many requests are in each state, and since when the oldest is. `Display` is a table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Counts {
    /// In the order of [`State::ALL`].
    pub(crate) states: Vec<StateCount>,
}

/// The requests in a state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct StateCount {
    /// The state.
    pub state: State,
    /// How many requests are in it.
    pub count: u64,
    /// Since when the oldest of them is in it; `None` if there is none, and for confirmed ones.
    pub oldest: Option<SystemTime>,
}

impl Counts {
    /// How many requests are in a state.
    pub fn get(&self, state: State) -> u64 {
        self.states.iter().find(|found| found.state == state).map_or(0, |found| found.count)
    }

    /// The states, with the number of requests and the age of the oldest.
    pub fn iter(&self) -> impl Iterator<Item = &StateCount> {
        self.states.iter()
    }

    /// How many requests there are.
    pub fn total(&self) -> u64 {
        self.states.iter().map(|found| found.count).sum()
    }

    /// How many requests something still happens to by itself: they are queued, under way, or taken.
    pub fn under_way(&self) -> u64 {
        [State::Queued, State::Sending, State::Taken].into_iter().map(|state| self.get(state)).sum()
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<12} {:>10}  oldest", "state", "requests")?;
        for StateCount { state, count, oldest } in self.states.iter().filter(|found| found.count > 0) {
            let age = oldest.and_then(|oldest| SystemTime::now().duration_since(oldest).ok()).unwrap_or_default();
            writeln!(f, "{state:<12} {count:>10}  {} s", age.as_secs())?;
        }
        Ok(())
    }
}

/// A pause: nothing is sent, to a business or at all, until it ends.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Pause {
    /// The business; `None` if it is for everything.
    pub uid: Option<String>,
    /// When it ends by itself; `None` if a person has to end it with [`Outbox::resume`](crate::Outbox::resume).
    pub until: Option<SystemTime>,
    /// Why.
    pub reason: String,
    /// When it began.
    pub since: SystemTime,
}
