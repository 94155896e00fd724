//! Reads requests and counts.

use std::time::SystemTime;

use tokio_postgres::Row;

use super::{
    rows::{code, state},
    session::{Session, get, long, small, text},
};
use crate::{Counts, Entry, OutboxError, State, counts::StateCount};

const COLUMNS: &str =
    "number, uid, operation, record_id, state, reason, request, attempts, resent, absent, added, since, check_at";

fn read(row: &Row) -> Result<Entry, OutboxError> {
    let count = |column| get::<i32>(row, column).map(|count| u32::try_from(count).unwrap_or_default());
    Ok(Entry {
        number: get(row, 0)?,
        uid: Some(get::<String>(row, 1)?).filter(|uid| !uid.is_empty()),
        operation: get(row, 2)?,
        record_id: get(row, 3)?,
        state: state(row, 4)?,
        reason: get(row, 5)?,
        request: get(row, 6)?,
        attempts: count(7)?,
        resent: count(8)?,
        absent: count(9)? >= 2,
        added: get(row, 10)?,
        since: get(row, 11)?,
        next_check: get(row, 12)?,
    })
}

pub(super) async fn entry(session: &Session<'_>, number: i64) -> Result<Option<Entry>, OutboxError> {
    let sql = format!("SELECT {COLUMNS} FROM bdc_outbox.requests WHERE number = $1");
    let row = session.query_opt(&sql, &[long(&number)]).await?;
    row.as_ref().map(read).transpose()
}

pub(super) async fn find(session: &Session<'_>, uid: &str, record_id: &str) -> Result<Vec<Entry>, OutboxError> {
    // The index has no dropped ones, which are few.
    let sql = format!(
        "SELECT {COLUMNS} FROM bdc_outbox.requests WHERE number IN (
            SELECT number FROM bdc_outbox.records
            WHERE record_id IS NOT NULL AND state <> 8 AND uid = $1 AND record_id = $2
            UNION ALL SELECT number FROM bdc_outbox.records WHERE state = 8 AND uid = $1 AND record_id = $2
        ) ORDER BY number DESC"
    );
    session.query(&sql, &[text(&uid), text(&record_id)]).await?.iter().map(read).collect()
}

pub(super) async fn entries(
    session: &Session<'_>,
    state: Option<State>,
    after: i64,
    limit: usize,
) -> Result<Vec<Entry>, OutboxError> {
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    // Where those in a state are, so that nobody goes through all requests for the few that are under way.
    let condition = match state {
        None => "$1 IS NULL",
        Some(State::Queued) => "number IN (SELECT number FROM bdc_outbox.queue) AND state = $1",
        Some(State::Sending | State::Taken) => {
            "number IN (SELECT unnest(numbers) FROM bdc_outbox.sends WHERE state = $1) AND state = $1"
        }
        Some(State::Confirmed) => "state = $1",
        Some(_) => "number IN (SELECT number FROM bdc_outbox.records WHERE state = $1 AND state <> 0) AND state = $1",
    };
    let sql =
        format!("SELECT {COLUMNS} FROM bdc_outbox.requests WHERE {condition} AND number > $2 ORDER BY number LIMIT $3");
    let code = state.map(code);
    let values = [small(&code), long(&after), long(&limit)];
    session.query(&sql, &values).await?.iter().map(read).collect()
}

pub(super) async fn counts(session: &Session<'_>) -> Result<Counts, OutboxError> {
    let sql = "
        SELECT code::smallint, coalesce(count, 0)::bigint, CASE code
            WHEN 0 THEN (SELECT min(since) FROM bdc_outbox.queue)
            WHEN 1 THEN (SELECT min(since) FROM bdc_outbox.sends WHERE state = 1)
            WHEN 2 THEN (SELECT min(since) FROM bdc_outbox.sends WHERE state = 2)
            -- The oldest of what is done is of no use.
            WHEN 3 THEN NULL
            ELSE (SELECT min(since) FROM bdc_outbox.records WHERE state = code::smallint AND state <> 0)
        END
        FROM generate_series(0, 8) AS code
        LEFT JOIN (SELECT state, sum(change) AS count FROM bdc_outbox.tallies GROUP BY state) AS sums ON state = code
        ORDER BY code";
    let read = |row| {
        let count = u64::try_from(get::<i64>(row, 1)?).unwrap_or_default();
        Ok(StateCount { state: state(row, 0)?, count, oldest: get::<Option<SystemTime>>(row, 2)? })
    };
    Ok(Counts { states: session.query(sql, &[]).await?.iter().map(read).collect::<Result<_, OutboxError>>()? })
}
