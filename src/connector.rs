use std::{fmt, sync::Arc};

use crate::{Call, Request, shared::Shared};

/// A client for the service, with one method per operation, named after its `operationId`.
///
/// Cloning is cheap; clones share connections. A Tokio runtime with time and I/O enabled is required.
///
/// # Logging
///
/// Calls are logged through [`tracing`](https://docs.rs/tracing), under the target `business_data_connector`. No
/// record, no credential, and no query of an address is logged.
///
/// | level | span or event | fields |
/// |---|---|---|
/// | `DEBUG` | span `call`, around a call | `operation`, `attempts`, `status` |
/// | `DEBUG` | event `replied`, for a success | those of the span |
/// | `DEBUG` | event `failed`, for an error | `operation`, `attempt`, `elapsed_ms`, `cause`, `error` |
/// | `INFO` | event `retrying`, before the delay | the same, and `delay_ms` |
/// | `WARN` | event `outcome unknown`, in place of `failed` | `operation`, `attempt`, `elapsed_ms`, `cause`, `error` |
///
/// A warning is for somebody to act on: nobody knows whether a write took effect
/// ([`Retry::CheckFirst`](crate::Retry::CheckFirst)).
///
/// `attempt` counts from 1, `elapsed_ms` counts from the start of the call, `error` is the error's `Display`, and
/// `cause` is what the transport reported, if it failed.
///
/// ```no_run
/// # async fn example() -> Result<(), business_data_connector::Error> {
/// use business_data_connector::Connector;
///
/// let connector = Connector::builder()
///     .base_url("https://service.example")
///     .credentials("my-apikey", "my-appid")
///     .build()?;
/// let reply = connector.verify_apikey().await?;
/// assert_eq!(reply.status(), 200);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
#[doc(alias = "client")]
pub struct Connector {
    shared: Arc<Shared>,
}

impl Connector {
    /// Prepares a call of the operation that the request belongs to. The methods named after the operations do the same
    /// from their arguments.
    ///
    /// ```no_run
    /// # async fn example(connector: business_data_connector::Connector) -> Result<(), business_data_connector::Error>
    /// { use business_data_connector::types::{ExpenseRecord, PushExpenseRequest};
    ///
    /// let request = PushExpenseRequest::new("demo-business", ExpenseRecord::new().id("EXP-1"));
    /// connector.send(request).await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn send<R: Request>(&self, request: R) -> Call<R> {
        Call::new(self.shared.clone(), request)
    }

    pub(crate) fn new(shared: Shared) -> Self {
        Self { shared: Arc::new(shared) }
    }

    pub(crate) fn shared(&self) -> &Arc<Shared> {
        &self.shared
    }

    #[cfg(test)]
    pub(crate) fn base_url(&self) -> &str {
        &self.shared.base_url
    }
}

impl fmt::Debug for Connector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connector")
            .field("base_url", &self.shared.base_url)
            .field("credentials", &self.shared.credentials)
            .field("timeout", &self.shared.timeout)
            .field("retry_policy", &self.shared.retry_policy)
            .field("reply_limit", &self.shared.reply_limit)
            .finish_non_exhaustive()
    }
}
