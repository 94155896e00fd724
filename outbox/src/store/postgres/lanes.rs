//! Finds businesses that have requests and no lane, since whoever adds a request makes none.

use std::{
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use deadpool_postgres::Object;

use super::session::{Session, Time};
use crate::{OutboxError, time::Millis};

/// How often to look, while there is something to send anyway.
const INTERVAL: Duration = Duration::from_millis(500);

/// Where looking takes long, because there are many businesses, it takes at most this part of the time.
const PART: u32 = 20;

/// When to look next.
pub(super) struct Lanes {
    interval: Duration,
    next: Mutex<Instant>,
}

impl Lanes {
    pub(super) fn now_and_then() -> Self {
        Self { interval: INTERVAL, next: Mutex::new(Instant::now()) }
    }

    #[cfg(feature = "testing")]
    pub(super) fn always() -> Self {
        Self { interval: Duration::ZERO, next: Mutex::new(Instant::now()) }
    }

    /// Returns whether it was time.
    pub(super) async fn make_if_due(&self, client: &mut Object, time: Time, now: Millis) -> Result<bool, OutboxError> {
        let due = {
            let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
            let due = *next <= Instant::now();
            if due {
                *next = Instant::now() + self.interval;
            }
            due
        };
        if due {
            self.make(client, time, now).await?;
        }
        Ok(due)
    }

    /// Makes lanes, and returns whether there was a business without one.
    pub(super) async fn make(&self, client: &mut Object, time: Time, now: Millis) -> Result<bool, OutboxError> {
        let begun = Instant::now();
        let session = Session::begin(client, time, now).await?;
        let made = make_lanes(&session).await?;
        session.commit().await?;
        if !self.interval.is_zero() {
            let wait = self.interval.max(begun.elapsed().saturating_mul(PART));
            *self.next.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now() + wait;
        }
        Ok(made > 0)
    }
}

/// Makes lanes, and returns how many. It jumps from one business to the next, however many requests each has.
async fn make_lanes(session: &Session<'_>) -> Result<usize, OutboxError> {
    let sql = "
        WITH RECURSIVE waiting (uid) AS (
            (SELECT uid FROM bdc_outbox.queue ORDER BY uid LIMIT 1)
            UNION ALL
            SELECT (
                SELECT uid FROM bdc_outbox.queue WHERE queue.uid > waiting.uid ORDER BY uid LIMIT 1
            ) FROM waiting WHERE waiting.uid IS NOT NULL
        )
        INSERT INTO bdc_outbox.lanes (uid) SELECT uid FROM waiting
        WHERE uid IS NOT NULL AND NOT EXISTS (SELECT FROM bdc_outbox.lanes WHERE lanes.uid = waiting.uid)
        ORDER BY uid ON CONFLICT DO NOTHING RETURNING uid";
    Ok(session.query(sql, &[]).await?.len())
}
