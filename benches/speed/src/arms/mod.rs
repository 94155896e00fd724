//! The clients that are compared.

mod by_hand;
mod connector;
mod hyper;
mod progenitor;
mod reqwest;

use std::fmt::Debug;

use anyhow::Result;
use serde::{Serialize, de::DeserializeOwned};

pub use self::{connector::Connector, hyper::Hyper, progenitor::Progenitor, reqwest::Reqwest};

/// A client.
pub trait Arm: Sized {
    /// Its type for an income record.
    type Record: Serialize + DeserializeOwned + Debug;

    /// A client of the service at a base URL without a trailing slash.
    fn new(base_url: &str) -> Result<Self>;

    /// A record with every field. The number makes it differ from others.
    fn record(number: usize) -> Result<Self::Record>;

    /// Pushes one record.
    fn push_income(&self, record: Self::Record) -> impl Future<Output = Result<()>>;

    /// Pushes records in one request.
    fn push_many(&self, records: Vec<Self::Record>) -> impl Future<Output = Result<()>>;
}
