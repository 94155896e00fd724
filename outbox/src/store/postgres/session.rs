//! A transaction, and the time at which it takes place.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use deadpool_postgres::{Object, Pool, Transaction};
use tokio_postgres::{
    IsolationLevel, Row,
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
    time TIMESTAMPTZ "A time.",
    long INT8 "An integer of 64 bits.",
    longs INT8_ARRAY "A list of integers of 64 bits.",
    int INT4 "An integer of 32 bits.",
    small INT2 "An integer of 16 bits.",
    flag BOOL "True or false.",
}

/// A transaction. If it is dropped, nothing of it has happened.
pub(super) struct Session<'a> {
    transaction: Transaction<'a>,
    /// Now, by the clock that counts.
    pub(super) now: SystemTime,
    /// What the caller's clock lacks, in milliseconds.
    ahead: Millis,
}

impl<'a> Session<'a> {
    /// Begins a transaction. What it commits is on the disk: without that, a request that was sent might be queued
    /// again after a failure of the database.
    pub(super) async fn begin(client: &'a mut Object, time: Time, now: Millis) -> Result<Self, OutboxError> {
        let builder = client.build_transaction().isolation_level(IsolationLevel::ReadCommitted);
        let transaction = builder.start().await.map_err(|error| failed(&error))?;
        let sql = "
            SELECT clock_timestamp(), CASE WHEN current_setting('synchronous_commit') = 'off'
                THEN set_config('synchronous_commit', 'on', true) END";
        let row = transaction.query_typed_one(sql, &[]).await.map_err(|error| failed(&error))?;
        let here = now;
        let now: SystemTime = match time {
            Time::Database => get(&row, 0)?,
            #[cfg(feature = "testing")]
            Time::Caller => moment(here),
        };
        let ahead = millis(now.duration_since(UNIX_EPOCH).unwrap_or_default()).saturating_sub(here);
        Ok(Self { transaction, now, ahead })
    }

    pub(super) async fn query(&self, sql: &str, values: &[Value<'_>]) -> Result<Vec<Row>, OutboxError> {
        self.transaction.query_typed(sql, values).await.map_err(|error| failed(&error))
    }

    pub(super) async fn query_opt(&self, sql: &str, values: &[Value<'_>]) -> Result<Option<Row>, OutboxError> {
        self.transaction.query_typed_opt(sql, values).await.map_err(|error| failed(&error))
    }

    pub(super) async fn query_one(&self, sql: &str, values: &[Value<'_>]) -> Result<Row, OutboxError> {
        self.transaction.query_typed_one(sql, values).await.map_err(|error| failed(&error))
    }

    /// Runs statements without values.
    pub(super) async fn run(&self, sql: &str) -> Result<(), OutboxError> {
        self.transaction.batch_execute(sql).await.map_err(|error| failed(&error))
    }

    pub(super) async fn commit(self) -> Result<(), OutboxError> {
        self.transaction.commit().await.map_err(|error| failed(&error))
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
