use std::fmt::Debug;

use progenitor_client::{ByteStream, ResponseValue};
use serde::{Serialize, de::DeserializeOwned};

use crate::{
    Operation,
    generated::{Client, RequestEnvelope},
};

/// A request of any operation, for generic code such as a queue, a log or a test.
///
/// It is implemented by the request types in [`types`](crate::types) and sealed. A request holds no credentials, so it
/// can be printed, and stored wherever the records may be stored; a `signature` and the query of an address are part of
/// what is stored. Send it with [`Connector::send`](crate::Connector::send).
///
/// The fields beside the payload, such as the `webhook`, are read and set through [`RequestEnvelope`].
///
/// With the feature `schemars` every request is also a `schemars::JsonSchema`.
///
/// ```
/// use business_data_connector::Request;
///
/// /// A line for a queue: the operation and the request.
/// fn stored<R: Request>(request: &R) -> serde_json::Result<(&'static str, String)> {
///     Ok((R::OPERATION.id, serde_json::to_string(request)?))
/// }
/// ```
pub trait Request:
    Dispatch
    + RequestEnvelope
    + MaybeJsonSchema
    + Serialize
    + DeserializeOwned
    + Clone
    + Debug
    + PartialEq
    + Send
    + Sync
    + 'static
{
    /// The operation that the request belongs to.
    const OPERATION: &'static Operation;
}

/// A visitor of every request type, for [`visit_requests`](crate::visit_requests).
///
/// ```
/// use business_data_connector::{Effect, Request, RequestVisitor, visit_requests};
///
/// /// Collects the names of the operations that write.
/// struct Writes(Vec<&'static str>);
///
/// impl RequestVisitor for Writes {
///     fn visit<R: Request>(&mut self) {
///         if R::OPERATION.effect == Effect::Write {
///             self.0.push(R::OPERATION.id);
///         }
///     }
/// }
///
/// let mut writes = Writes(Vec::new());
/// visit_requests(&mut writes);
/// assert!(writes.0.contains(&"push_income"));
/// ```
pub trait RequestVisitor {
    /// Called once for each request type.
    fn visit<R: Request>(&mut self);
}

/// A record that one operation pushes, such as an `IncomeRecord`, for generic code that is given records of any kind.
/// It is implemented for the records of the operations that have an [`Operation::record`].
///
/// ```
/// use business_data_connector::{PushedRecord, Request, types::IncomeRecord};
///
/// fn operation<T: PushedRecord>(_: &T) -> &'static str {
///     T::Request::OPERATION.id
/// }
/// assert_eq!(operation(&IncomeRecord::new()), "push_income");
/// ```
pub trait PushedRecord: Sized {
    /// The request that pushes it.
    type Request: Request;

    /// The request that pushes this record for a business.
    fn into_request(self, uid: &str) -> Self::Request;
}

/// Passes a request to its method of the generated client. It cannot be named outside this crate, which seals
/// [`Request`].
pub trait Dispatch {
    fn dispatch(&self, client: &Client) -> impl Future<Output = Dispatched> + Send;
}

pub(crate) type Dispatched = Result<ResponseValue<ByteStream>, progenitor_client::Error<ByteStream>>;

#[cfg(feature = "schemars")]
pub use schemars::JsonSchema as MaybeJsonSchema;

/// An empty trait, without the feature `schemars`.
#[cfg(not(feature = "schemars"))]
pub trait MaybeJsonSchema {}

#[cfg(not(feature = "schemars"))]
impl<T> MaybeJsonSchema for T {}
