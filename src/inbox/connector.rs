//! A connector whose calls are awaited to their callback.

use super::{awaiting::AwaitedCall, handle::Inbox};
use crate::{Asynchronous, Connector};

/// Calls that are awaited to their callback: see [`Connector::awaiting`]. It has a method for each operation that has
/// callbacks, named after it.
#[derive(Debug, Clone, Copy)]
pub struct Awaiting<'a> {
    connector: &'a Connector,
    inbox: &'a Inbox,
}

impl Connector {
    /// Prepares calls that are awaited to their callback. The methods are those of the connector without `webhook`,
    /// which the inbox fills in. To set optional fields of a request, or options of the call, use
    /// [`Call::awaiting`](crate::Call::awaiting). Feature `inbox`.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     connector: business_data_connector::Connector, inbox: business_data_connector::inbox::Inbox,
    /// # ) -> Result<(), Box<dyn std::error::Error>> {
    /// use business_data_connector::types::IncomeRecord;
    ///
    /// let pulled = connector.awaiting(&inbox).pull_income("demo-business").await?;
    /// let income: Vec<IncomeRecord> = pulled.records()?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn awaiting<'a>(&'a self, inbox: &'a Inbox) -> Awaiting<'a> {
        Awaiting { connector: self, inbox }
    }
}

impl Awaiting<'_> {
    /// Prepares a call of the operation that the request belongs to.
    pub fn send<R: Asynchronous>(&self, request: R) -> AwaitedCall<R> {
        self.connector.send(request).awaiting(self.inbox)
    }

    pub(super) fn connector(&self) -> &Connector {
        self.connector
    }

    pub(super) fn inbox(&self) -> &Inbox {
        self.inbox
    }
}
