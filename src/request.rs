use std::fmt::Debug;

use progenitor_client::{ByteStream, ResponseValue};
use serde::{Serialize, de::DeserializeOwned};

use crate::{Operation, generated::Client};

/// A request of any operation, for code that does not care which: a queue, a log, a test.
///
/// Implemented by the request types in [`types`](crate::types), and by nothing else. It holds no credentials, so it may
/// be printed, and stored where the records may: a `signature` and the query of an address are in what is stored. Send it with [`Connector::send`](crate::Connector::send).
///
/// With the feature `schemars` it is also a `schemars::JsonSchema`.
pub trait Request:
    Dispatch + MaybeJsonSchema + Serialize + DeserializeOwned + Clone + Debug + PartialEq + Send + Sync + 'static
{
    /// The operation that this is a request of.
    const OPERATION: &'static Operation;
}

/// Is shown every request type by [`visit_requests`](crate::visit_requests).
pub trait RequestVisitor {
    /// Called once for each operation.
    fn visit<R: Request>(&mut self);
}

/// How a request reaches its method of the generated client. Not nameable outside, which seals [`Request`].
pub trait Dispatch {
    fn dispatch(&self, client: &Client) -> impl Future<Output = Dispatched> + Send;
}

pub(crate) type Dispatched = Result<ResponseValue<ByteStream>, progenitor_client::Error<ByteStream>>;

#[cfg(feature = "schemars")]
pub use schemars::JsonSchema as MaybeJsonSchema;

/// Nothing, without the feature `schemars`.
#[cfg(not(feature = "schemars"))]
pub trait MaybeJsonSchema {}

#[cfg(not(feature = "schemars"))]
impl<T> MaybeJsonSchema for T {}
