//! What the tests share: a service that answers as configured and remembers what it saw, and a request of every
//! operation.

// No test uses all of it.
#![allow(dead_code, unused_imports)]

mod log;
mod samples;
mod server;
mod sources;
mod tls;

pub use log::Log;
pub use samples::{Sample, samples};
pub use server::{MockServer, Seen};
pub use sources::sources;
pub use tls::{Authority, TlsServer};

use business_data_connector::{Connector, ConnectorBuilder};

/// No secret of a test may turn up anywhere: each has this in it.
pub const CANARY: &str = "c4n4ry";
pub const APIKEY: &str = "c4n4ry-apikey";
pub const APPID: &str = "c4n4ry-appid";
pub const HEADER_KEY: &str = "c4n4ry-header-key";

pub type TestResult = Result<(), Box<dyn std::error::Error>>;

/// A builder with canaries for secrets.
pub fn builder(base_url: &str) -> ConnectorBuilder {
    Connector::builder().base_url(base_url).credentials(APIKEY, APPID).header_key(HEADER_KEY)
}
