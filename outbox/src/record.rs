//! What can be enqueued.

use business_data_connector::{Effect, OPERATIONS, Operation, PushedRecord, Request};
use serde_json::Value;

use crate::OutboxError;

/// A request that was examined and can be enqueued: the values of the columns of one row.
///
/// [`Outbox::enqueue`](crate::Outbox::enqueue) inserts it. To insert it in a transaction of your own, run
/// [`Staged::SQL`] with the values, in their order, through whatever driver has the database open:
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// # let file = folder.path().join("application.db");
/// use business_data_connector::types::{IncomeRecord, PushIncomeRequest};
/// use business_data_connector_outbox::{Outbox, Staged};
///
/// let outbox = Outbox::sqlite(&file).await?;
/// let mut database = rusqlite::Connection::open(&file)?;
/// database.execute_batch("CREATE TABLE invoices (number TEXT)")?;
///
/// let request = PushIncomeRequest::new("demo-business", IncomeRecord::new().id("INV-1"));
/// let staged = Staged::new(&request)?;
/// let transaction = database.transaction()?;
/// transaction.execute("INSERT INTO invoices VALUES ('INV-1')", [])?;
/// transaction.execute(Staged::SQL, (staged.uid(), staged.operation(), staged.record_id(), staged.request()))?;
/// transaction.commit()?;
/// assert!(outbox.outcome("demo-business", "INV-1").await?.is_some());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Staged {
    operation: &'static Operation,
    /// Empty for an operation without one.
    uid: String,
    record_id: Option<String>,
    request: String,
}

impl Staged {
    /// The statement that adds a request. Its four values are [`uid`](Self::uid), [`operation`](Self::operation),
    /// [`record_id`](Self::record_id) and [`request`](Self::request), all of them text. The same record again with the
    /// same content is left out; with another content, the statement fails.
    pub const SQL: &'static str = "INSERT INTO bdc_outbox_records (uid, operation, record_id, request) VALUES (?1, ?2, \
                                   ?3, ?4) ON CONFLICT DO NOTHING";

    /// The same for PostgreSQL. It adds rows and changes none, so that open transactions of one business do not wait
    /// for each other, unless they add the same record. Feature `postgres`.
    #[cfg(feature = "postgres")]
    pub const POSTGRES: &'static str = "INSERT INTO bdc_outbox.records (uid, operation, record_id, request) VALUES \
                                        ($1, $2, $3, $4) ON CONFLICT (uid, record_id, operation) WHERE record_id IS \
                                        NOT NULL AND state <> 8 DO UPDATE SET request = excluded.request WHERE \
                                        records.request <> excluded.request";

    /// The longest `uid`, and the longest `id` or key, in bytes: 1,000.
    pub const LONGEST_KEY: usize = 1000;

    /// The largest request, in bytes of JSON: 1 MiB.
    pub const LARGEST: usize = 1024 * 1024;

    /// Examines a request.
    ///
    /// # Errors
    /// [`OutboxError::Invalid`] if it reads instead of writing; if its record has no `id` although what became of it
    /// can only be found by that; if it holds what is secret, or a `webhook`, which the worker sets; or if it, or
    /// its key, is too large.
    pub fn new<R: Request>(request: &R) -> Result<Self, OutboxError> {
        let operation = R::OPERATION;
        let invalid = |problem: &str| OutboxError::Invalid(format!("{}: {problem}", operation.id));
        if operation.effect == Effect::Read {
            return Err(invalid(
                "reads and changes nothing, so it has no place in an outbox; call it where its answer is used",
            ));
        }
        let json = serde_json::to_string(request).map_err(|error| invalid(&error.to_string()))?;
        if json.len() > Self::LARGEST {
            let problem = format!("the request has {} bytes, and {} are accepted at most", json.len(), Self::LARGEST);
            return Err(invalid(&problem));
        }
        let value: Value = serde_json::from_str(&json).map_err(|error| invalid(&error.to_string()))?;
        if let Some(path) = operation.sensitive.iter().find(|path| is_set(&value, path)) {
            let problem = match *path {
                "webhook" | "signature" => format!("leave `{path}` out; the worker sets it when the request is sent"),
                path => {
                    format!("`{path}` may grant access to whoever has it, and is not stored; send this request at once")
                }
            };
            return Err(invalid(&problem));
        }
        let record_id = operation.record.and_then(|record| value["data"][record.id].as_str()).map(str::to_owned);
        let record_id = record_id.filter(|id| !id.trim().is_empty());
        if let Some(record) = operation.record.filter(|record| record.pulled_by.is_some() && record_id.is_none()) {
            let problem = format!(
                "the record has no `{}`, without which nobody could tell whether the service holds it; give it one that no \
                 other record of the business has",
                record.id
            );
            return Err(invalid(&problem));
        }
        let uid = request.envelope().uid.unwrap_or_default().to_owned();
        for (name, text) in [("uid", Some(&uid)), ("id", record_id.as_ref())] {
            if text.is_some_and(|text| !is_key(text)) {
                let problem = format!(
                    "the `{name}` has a NUL character, which not every database stores, or more than {} bytes",
                    Self::LONGEST_KEY
                );
                return Err(invalid(&problem));
            }
        }
        Ok(Self { operation, uid, record_id, request: json })
    }

    /// Sets a key of your own for a request whose data has no `id`, such as the date of a settlement. The same key
    /// again is the same request, as it is with the `id` of a record, which this does not replace.
    #[must_use]
    pub fn keyed(mut self, key: impl Into<String>) -> Self {
        self.record_id.get_or_insert(key.into());
        self
    }

    /// The business; empty for an operation without a `uid`.
    pub fn uid(&self) -> &str {
        &self.uid
    }

    /// The `id` of the operation.
    pub fn operation(&self) -> &'static str {
        self.operation.id
    }

    /// The `id` of the record, or the key that was set; `None` without either.
    pub fn record_id(&self) -> Option<&str> {
        self.record_id.as_deref()
    }

    /// The request as JSON text.
    pub fn request(&self) -> &str {
        &self.request
    }
}

impl std::fmt::Debug for Staged {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Staged")
            .field("operation", &self.operation.id)
            .field("uid", &self.uid)
            .field("record_id", &self.record_id)
            .finish_non_exhaustive()
    }
}

/// A record of any kind that can be pushed, for [`Outbox::enqueue_all`](crate::Outbox::enqueue_all).
///
/// ```
/// use business_data_connector::types::{ExpenseRecord, IncomeRecord};
/// use business_data_connector_outbox::Record;
///
/// let income = [IncomeRecord::new().id("INV-1")];
/// let expenses = [ExpenseRecord::new().id("EXP-1")];
/// let all = income.into_iter().map(Record::from).chain(expenses.into_iter().map(Record::from));
/// assert_eq!(all.count(), 2);
/// ```
pub struct Record(Box<Stage>);

/// Examines a record for a business.
type Stage = dyn FnOnce(&str) -> Result<Staged, OutboxError> + Send;

impl Record {
    pub(crate) fn stage(self, uid: &str) -> Result<Staged, OutboxError> {
        (self.0)(uid)
    }
}

impl<T: PushedRecord + Send + 'static> From<T> for Record {
    fn from(record: T) -> Self {
        Self(Box::new(move |uid| Staged::new(&record.into_request(uid))))
    }
}

impl std::fmt::Debug for Record {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Record").finish_non_exhaustive()
    }
}

/// The operation with this `id`, if this version knows it.
pub(crate) fn operation(id: &str) -> Option<&'static Operation> {
    OPERATIONS.iter().find(|operation| operation.id == id)
}

/// Whether every store can have a text in its index.
pub(crate) fn is_key(text: &str) -> bool {
    text.len() <= Staged::LONGEST_KEY && !text.contains('\0')
}

/// Whether a field is there. A path is written as `data.items[].url`.
fn is_set(value: &Value, path: &str) -> bool {
    let (name, rest) = match path.split_once('.') {
        Some((name, rest)) => (name, Some(rest)),
        None => (path, None),
    };
    let (name, list) = match name.strip_suffix("[]") {
        Some(name) => (name, true),
        None => (name, false),
    };
    let value = if name.is_empty() { value } else { &value[name] };
    let below = |value: &Value| match rest {
        Some(rest) => is_set(value, rest),
        None => !value.is_null(),
    };
    match list {
        true => value.as_array().is_some_and(|items| items.iter().any(below)),
        false => below(value),
    }
}
