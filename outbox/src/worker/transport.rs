//! How a worker reaches the service.

use std::{future::Future, pin::Pin, time::Duration};

use business_data_connector::{Connector, Operation, Stored, inbox::Inbox};

use super::answer::Answer;
use crate::{OutboxError, store::Address};

/// Makes addresses and sends requests.
pub trait Transport: Send + Sync + 'static {
    /// A new address for the callbacks of a request.
    ///
    /// # Errors
    /// If there can be none, such as because the `uid` makes it too long.
    fn address(&self, operation: &'static Operation, uid: Option<&str>) -> Result<Address, OutboxError>;

    /// Sends a request.
    fn send(&self, request: Stored) -> Pin<Box<dyn Future<Output = Answer> + Send + '_>>;
}

/// A connector, and the inbox that receives its callbacks.
pub(crate) struct ServiceTransport {
    pub(crate) connector: Connector,
    pub(crate) inbox: Inbox,
    /// After this time a call is given up that its connector does not end.
    pub(crate) limit: Duration,
}

impl Transport for ServiceTransport {
    fn address(&self, operation: &'static Operation, uid: Option<&str>) -> Result<Address, OutboxError> {
        let address = self.inbox.address_for(operation, uid);
        let address = address.map_err(|error| OutboxError::Invalid(error.to_string()))?;
        Ok(Address { id: address.id(), url: address.as_str().to_owned(), signature: address.signature().to_owned() })
    }

    fn send(&self, request: Stored) -> Pin<Box<dyn Future<Output = Answer> + Send + '_>> {
        Box::pin(async move {
            match tokio::time::timeout(self.limit, self.connector.send_stored(&request)).await {
                Ok(result) => Answer::of(result),
                Err(_) => Answer::Unknown(format!("no answer within {:?}", self.limit)),
            }
        })
    }
}
