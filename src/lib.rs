#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(target_family = "wasm")]
compile_error!(
    "business-data-connector does not support WebAssembly, where its timeouts, TLS and proof of what was sent have no \
     counterpart; call it from a native program. The folder `openapi/` has what a client in another language needs"
);

mod attempt;
mod base_url;
mod body;
mod builder;
mod call;
#[cfg(feature = "callback")]
#[cfg_attr(docsrs, doc(cfg(feature = "callback")))]
pub mod callback;
mod classify;
mod connector;
mod credentials;
mod decimal;
mod error;
mod http_client;
#[cfg(feature = "inbox")]
#[cfg_attr(docsrs, doc(cfg(feature = "inbox")))]
pub mod inbox;
mod operation;
mod read_json;
mod redact;
mod reply;
mod request;
mod retry_policy;
mod run;
mod shared;
mod stored;
pub mod strict;
#[cfg(feature = "testing")]
#[cfg_attr(docsrs, doc(cfg(feature = "testing")))]
pub mod testing;
mod tls;

/// The client and types that `build.rs` generates from the document with progenitor.
#[allow(missing_docs, private_interfaces, unreachable_pub, unused_imports, dead_code, clippy::all, clippy::unwrap_used)]
mod generated {
    include!(concat!(env!("OUT_DIR"), "/generated.rs"));
}

pub use builder::ConnectorBuilder;
pub use call::Call;
pub use connector::Connector;
pub use decimal::{Decimal, DecimalError, IntoDecimal};
pub use error::{Error, Retry};
pub use generated::{
    Asynchronous, AsynchronousVisitor, DeliveredRecord, Envelope, OPERATIONS, RequestEnvelope, types,
    visit_asynchronous_requests, visit_requests,
};
pub use operation::{Effect, Evidence, Operation, RecordFacts};
pub use reply::Reply;
pub use request::{PushedRecord, Request, RequestVisitor};
/// Re-exported for the types of statuses and headers, and for [`ConnectorBuilder::configure_client`].
pub use reqwest;
pub use retry_policy::RetryPolicy;
/// For arithmetic beyond sums, and to convert a [`Decimal`] to and from.
pub use rust_decimal;
pub use stored::Stored;

/// The OpenAPI document that this version was generated from, as YAML text.
pub const DOCUMENT: &str = include_str!("../openapi/connector.yaml");
