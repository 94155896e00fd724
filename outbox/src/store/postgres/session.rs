//! A transaction, and the time at which it takes place.

use std::{
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use deadpool_postgres::{Object, Pool};
use futures_util::{FutureExt, future::try_join};
use tokio_postgres::{
    Row,
    types::{FromSqlOwned, ToSql, Type},
};

use crate::{
    OutboxError,
    time::{Millis, millis, system_time},
};

/// Whose clock counts.
#[derive(Debug, Clone, Copy)]
pub(super) enum Time {
    /// That of the database, which is the same for all workers.
    Database,
    /// That of the caller, for tests.
    #[cfg(feature = "testing")]
    Caller,
}

/// A value, and its type: statements are not prepared, since poolers may send the next one through another connection.
pub(super) type Value<'a> = (&'a (dyn ToSql + Sync), Type);

macro_rules! value {
    ($($name:ident $type:ident $what:literal,)*) => { $(
        #[doc = $what]
        pub(super) fn $name<T: ToSql + Sync>(value: &T) -> Value<'_> {
            (value, Type::$type)
        }
    )* };
}

value! {
    text TEXT "A text.",
    texts TEXT_ARRAY "A list of texts.",
    bytes BYTEA "Bytes.",
    bytes_list BYTEA_ARRAY "A list of bytes.",
    time TIMESTAMPTZ "A time.",
    long INT8 "An integer of 64 bits.",
    longs INT8_ARRAY "A list of integers of 64 bits.",
    int INT4 "An integer of 32 bits.",
    small INT2 "An integer of 16 bits.",
    smalls INT2_ARRAY "A list of integers of 16 bits.",
    flag BOOL "True or false.",
}

/// A transaction. If it is dropped, nothing of it has happened.
///
/// Statements that are polled at the same time are sent at once, in the order in which they are polled first, and each
/// of them sees what those before it have done.
pub(super) struct Session<'a> {
    client: &'a Object,
    is_open: AtomicBool,
    /// Now, by the clock that counts.
    pub(super) now: SystemTime,
    /// What the caller's clock lacks, in milliseconds.
    ahead: Millis,
}

impl<'a> Session<'a> {
    /// Begins a transaction. What it commits is on the disk: without that, a request that was sent might be queued
    /// again after a failure of the database.
    pub(super) async fn begin(client: &'a mut Object, time: Time, now: Millis) -> Result<Self, OutboxError> {
        let mut session = Self { client, is_open: AtomicBool::new(true), now: UNIX_EPOCH, ahead: 0 };
        let sql = "
            SELECT clock_timestamp(), CASE WHEN current_setting('synchronous_commit') = 'off'
                THEN set_config('synchronous_commit', 'on', true) END";
        let begin = session.run("BEGIN ISOLATION LEVEL READ COMMITTED");
        let ((), row) = try_join(begin, session.query_one(sql, &[])).await?;
        session.now = match time {
            Time::Database => get(&row, 0)?,
            #[cfg(feature = "testing")]
            Time::Caller => moment(now),
        };
        session.ahead = millis(session.now.duration_since(UNIX_EPOCH).unwrap_or_default()).saturating_sub(now);
        Ok(session)
    }

    pub(super) async fn query(&self, sql: &str, values: &[Value<'_>]) -> Result<Vec<Row>, OutboxError> {
        self.client.query_typed(sql, values).await.map_err(|error| failed(&error))
    }

    pub(super) async fn query_opt(&self, sql: &str, values: &[Value<'_>]) -> Result<Option<Row>, OutboxError> {
        self.client.query_typed_opt(sql, values).await.map_err(|error| failed(&error))
    }

    pub(super) async fn query_one(&self, sql: &str, values: &[Value<'_>]) -> Result<Row, OutboxError> {
        self.client.query_typed_one(sql, values).await.map_err(|error| failed(&error))
    }

    /// Runs statements without values.
    pub(super) async fn run(&self, sql: &str) -> Result<(), OutboxError> {
        self.client.batch_execute(sql).await.map_err(|error| failed(&error))
    }

    pub(super) async fn commit(self) -> Result<(), OutboxError> {
        self.finish().await
    }

    /// Commits together with the last statement. If that fails, what the database makes of the commit is a rollback.
    pub(super) async fn commit_with(self, sql: &str, values: &[Value<'_>]) -> Result<Vec<Row>, OutboxError> {
        let (rows, ()) = try_join(self.query(sql, values), self.finish()).await?;
        Ok(rows)
    }

    async fn finish(&self) -> Result<(), OutboxError> {
        self.is_open.store(false, Ordering::Relaxed);
        self.run("COMMIT").await
    }

    /// A time that the caller has reckoned with its own clock.
    pub(super) fn at(&self, time: Millis) -> SystemTime {
        moment(time.saturating_add(self.ahead))
    }

    /// How it was so long ago.
    pub(super) fn before(&self, time: Duration) -> SystemTime {
        self.now.checked_sub(time).unwrap_or(UNIX_EPOCH).max(UNIX_EPOCH)
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        if *self.is_open.get_mut() {
            // It is sent when it is first polled, and nobody waits for the answer.
            drop(self.client.batch_execute("ROLLBACK").now_or_never());
        }
    }
}

pub(super) async fn client(pool: &Pool) -> Result<Object, OutboxError> {
    let problem = |error| OutboxError::store("there is no connection to the database of the outbox").with_source(error);
    pool.get().await.map_err(problem)
}

/// The last moment that is stored: the end of the year 9999, in milliseconds.
const LAST: Millis = 253_402_300_799_000;

fn moment(time: Millis) -> SystemTime {
    system_time(time.min(LAST))
}

/// The value of a column.
pub(super) fn get<T: FromSqlOwned>(row: &Row, column: usize) -> Result<T, OutboxError> {
    row.try_get(column).map_err(|error| failed(&error))
}

/// The detail of an error may quote a row, and with it a request.
pub(super) fn failed(error: &tokio_postgres::Error) -> OutboxError {
    let problem = OutboxError::store("the outbox failed");
    match error.as_db_error() {
        Some(error) => problem.with_source(format!("{} ({})", error.message(), error.code().code())),
        None => problem.with_source(error.to_string()),
    }
}

/// PostgreSQL stores no NUL, which what the service says may have.
pub(super) fn storable(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}
