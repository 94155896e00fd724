//! Reads requests and counts.

use std::time::SystemTime;

use tokio_postgres::Row;

use super::{
    rows::{code, state},
    session::{Session, get, long, small, text},
};
use crate::{Counts, Entry, OutboxError, State, counts::StateCount};

const SELECT: &str = "
    SELECT number, uid, operation, record_id, state, reason, request, attempts, resent, absent, added, since,
        check_at
    FROM bdc_outbox.records WHERE ";

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
    let row = session.query_opt(&format!("{SELECT} number = $1"), &[long(&number)]).await?;
    row.as_ref().map(read).transpose()
}

pub(super) async fn find(session: &Session<'_>, uid: &str, record_id: &str) -> Result<Vec<Entry>, OutboxError> {
    // The index has no dropped ones, which are few.
    let sql = format!(
        "{SELECT} record_id IS NOT NULL AND state <> 8 AND uid = $1 AND record_id = $2
        UNION ALL {SELECT} state = 8 AND uid = $1 AND record_id = $2 ORDER BY number DESC"
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
    let sql = format!("{SELECT} ($1 IS NULL OR state = $1) AND number > $2 ORDER BY number LIMIT $3");
    let code = state.map(code);
    let values = [small(&code), long(&after), long(&limit)];
    session.query(&sql, &values).await?.iter().map(read).collect()
}

pub(super) async fn counts(session: &Session<'_>) -> Result<Counts, OutboxError> {
    let sql = "
        SELECT code::smallint, CASE code
            WHEN 0 THEN (SELECT count(*) FROM bdc_outbox.records WHERE state = 0)
            ELSE (SELECT coalesce(sum(change), 0)::bigint FROM bdc_outbox.tallies WHERE state = code)
        END, (SELECT min(since) FROM bdc_outbox.records WHERE state = code::smallint)
        FROM generate_series(0, 8) AS code ORDER BY code";
    let read = |row| {
        let count = u64::try_from(get::<i64>(row, 1)?).unwrap_or_default();
        Ok(StateCount { state: state(row, 0)?, count, oldest: get::<Option<SystemTime>>(row, 2)? })
    };
    Ok(Counts { states: session.query(sql, &[]).await?.iter().map(read).collect::<Result<_, OutboxError>>()? })
}
