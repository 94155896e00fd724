//! Shared by the tests: a mock server that records its requests, and a sample request of every operation.

// Each test binary uses only a part.
#![allow(dead_code, unused_imports)]

mod log;
mod post;
mod samples;
mod server;
mod sources;
mod tls;

pub use log::Log;
pub use post::Sender;
pub use samples::{Sample, samples};
pub use server::{MockServer, Seen};
pub use sources::sources;
pub use tls::{Authority, TlsServer};

use business_data_connector::{Connector, ConnectorBuilder};

/// A part of every secret in the tests. It must not appear in any output.
pub const CANARY: &str = "c4n4ry";
pub const APIKEY: &str = "c4n4ry-apikey";
pub const APPID: &str = "c4n4ry-appid";
pub const HEADER_KEY: &str = "c4n4ry-header-key";

pub type TestResult = Result<(), Box<dyn std::error::Error>>;

/// A builder whose credentials contain the canary.
pub fn builder(base_url: &str) -> ConnectorBuilder {
    Connector::builder().base_url(base_url).credentials(APIKEY, APPID).header_key(HEADER_KEY)
}
