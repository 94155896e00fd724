//! The outbox in a PostgreSQL database.

use std::sync::Arc;

pub use deadpool_postgres;
use deadpool_postgres::Pool;

use crate::{
    Outbox, OutboxError,
    store::postgres::{PostgresStore, schema},
};

/// The SQL text that creates the tables, and that of each later version: run those that are missing, each in one
/// transaction, where [`Outbox::migrate_postgres`] may not. `bdc_outbox.migrations` has the versions that were run.
/// Feature `postgres`.
pub const POSTGRES_MIGRATIONS: &[&str] = schema::MIGRATIONS;

impl Outbox {
    /// The outbox in a PostgreSQL database, in the schema `bdc_outbox`. Any number of workers, on any number of
    /// machines, send from it, and anything that is connected to the database adds requests with
    /// [`Staged::POSTGRES`](crate::Staged::POSTGRES). Feature `postgres`.
    ///
    /// The pool decides about TLS, time limits and the number of connections. A pooler in transaction mode may stand
    /// between. The tables hold records: protect them as you protect those.
    ///
    /// ```no_run
    /// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
    /// use business_data_connector_outbox::{
    ///     Outbox,
    ///     deadpool_postgres::{Manager, Pool, tokio_postgres::NoTls},
    /// };
    ///
    /// let manager = Manager::new("host=/run/postgresql dbname=accounting".parse()?, NoTls);
    /// let pool = Pool::builder(manager).max_size(16).build()?;
    /// Outbox::migrate_postgres(&pool).await?; // when the application is installed
    /// let outbox = Outbox::postgres(pool).await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If the database cannot be reached, has no tables of the outbox, or those of another version.
    pub async fn postgres(pool: Pool) -> Result<Self, OutboxError> {
        Ok(Self::new(Arc::new(PostgresStore::open(pool).await?), None))
    }

    /// Creates the tables, or changes those of an earlier version, in one transaction. Several may try at the same
    /// time. Tables are only ever added to, so that workers of the earlier version go on meanwhile. Feature `postgres`.
    ///
    /// # Errors
    /// If the database cannot be reached, or the role may not create a schema.
    pub async fn migrate_postgres(pool: &Pool) -> Result<(), OutboxError> {
        schema::migrate(pool).await
    }
}
