//! Where received callbacks are kept.

use std::{
    borrow::Cow,
    error::Error as StdError,
    fmt,
    pin::Pin,
    time::{Duration, SystemTime},
};

use bytes::Bytes;

use crate::callback::{CallbackId, SignatureEcho};

/// What a method of a [`Store`] returns.
pub type StoreFuture<'a, T> = Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>;

/// Where received callbacks are kept until they are handled. A callback is answered 200 only after
/// [`add`](Self::add) has returned `Ok`.
///
/// [`MemoryStore`](super::MemoryStore) is the default; `SqliteStore`, with the feature `sqlite`, survives the end of
/// the process. Implement it for a database of your own, so that several instances share what they received.
pub trait Store: Send + Sync + 'static {
    /// Keeps a callback, unless one with the same [`id`](NewCallback::id) and [`digest`](NewCallback::digest) was added
    /// before, handled or not. That must be decided atomically, such as by a unique index: of two deliveries that race,
    /// one is new.
    fn add(&self, callback: NewCallback) -> StoreFuture<'_, Added>;

    /// The callbacks of one address that are not handled, with a number above `after`, in the order of their numbers.
    fn of_address(&self, id: CallbackId, after: u64) -> StoreFuture<'_, Vec<StoredCallback>>;

    /// The first `limit` callbacks that are not handled, with a number above `after`, in the order of their numbers.
    fn unhandled(&self, after: u64, limit: usize) -> StoreFuture<'_, Vec<StoredCallback>>;

    /// Marks a callback as handled. Its body may be removed; that it was received must be remembered for some hours, so
    /// that a later delivery of it is recognised.
    fn set_handled(&self, number: u64) -> StoreFuture<'_, ()>;

    /// Whether a callback that was added outlives this process.
    fn is_durable(&self) -> bool;

    /// How often to look for callbacks that another process added; `None` if there is no other.
    fn poll_interval(&self) -> Option<Duration> {
        None
    }
}

/// A callback that was verified, to be stored.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NewCallback {
    /// The identifier of the address, which the callbacks of one request share.
    pub id: CallbackId,
    /// SHA-256 of the body.
    pub digest: [u8; 32],
    /// The operation of the request.
    pub operation: String,
    /// The uid in the request.
    pub uid: Option<String>,
    /// When the address expires, in seconds since 1970.
    pub expires: u32,
    /// Whether another callback to the same request is announced.
    pub interim: bool,
    /// Whether the callback arrived after the address had expired.
    pub late: bool,
    /// Whether its signature is that of the address.
    pub echo: SignatureEcho,
    /// Whether somebody in this process waits for it.
    pub awaited: bool,
    /// When it was received.
    pub received: SystemTime,
    /// The body, byte for byte.
    pub body: Bytes,
}

/// A callback as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredCallback {
    /// Its number, which grows in the order of arrival.
    pub number: u64,
    /// Whether the final callback of the same address was added before it.
    pub after_final: bool,
    /// The callback.
    pub callback: NewCallback,
}

/// What [`Store::add`] did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Added {
    /// It was stored under this number.
    New(u64),
    /// It was there already.
    Duplicate,
}

/// A store cannot do what it was asked to. The service is then answered 503, so that it tries again.
#[derive(Debug)]
pub struct StoreError {
    problem: Cow<'static, str>,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

impl StoreError {
    /// An error with a sentence that says what is wrong.
    pub fn new(problem: impl Into<Cow<'static, str>>) -> Self {
        Self { problem: problem.into(), source: None }
    }

    /// The same, with its cause.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.source {
            Some(source) => write!(f, "{}: {source}", self.problem),
            None => f.write_str(&self.problem),
        }
    }
}

impl StdError for StoreError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_ref().map(|source| &**source as _)
    }
}

impl fmt::Debug for NewCallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewCallback")
            .field("id", &format_args!("{}", self.id))
            .field("operation", &self.operation)
            .field("uid", &self.uid)
            .field("interim", &self.interim)
            .field("late", &self.late)
            .field("body", &format_args!("{} bytes", self.body.len()))
            .finish_non_exhaustive()
    }
}
