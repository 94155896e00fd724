//! Requests that are kept for later, in a queue or a file.

use std::{fmt, pin::Pin, sync::Arc};

use serde::{Deserialize, Serialize};

use crate::{
    Call, Connector, Error, Operation, Reply, Request, RequestVisitor,
    generated::{OPERATIONS, visit_requests},
    shared::Shared,
    strict,
};

/// A request of any operation in a form that can be stored: the operation's name and the request as JSON text.
///
/// It serializes in every format, with every digit of its amounts. It holds no credentials, but a `signature` and the
/// query of an address are part of the JSON; `Debug` hides that.
///
/// ```no_run
/// # async fn example(connector: business_data_connector::Connector) -> Result<(), Box<dyn std::error::Error>> {
/// use business_data_connector::{Stored, types::{ExpenseRecord, PushExpenseRequest}};
///
/// let request = PushExpenseRequest::new("demo-business", ExpenseRecord::new().id("EXP-1"));
/// let line = serde_json::to_string(&Stored::new(&request)?)?;
///
/// // Later, in another process:
/// let stored: Stored = serde_json::from_str(&line)?;
/// connector.send_stored(&stored).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stored {
    operation: String,
    request: String,
}

impl Stored {
    /// Stores a request.
    ///
    /// # Errors
    /// [`Error::Invalid`] if the request cannot be written as JSON.
    pub fn new<R: Request>(request: &R) -> Result<Self, Error> {
        let operation = R::OPERATION.id;
        let json = serde_json::to_string(request).map_err(|error| Error::invalid(format!("{operation}: {error}")))?;
        Ok(Self { operation: operation.to_owned(), request: json })
    }

    /// A stored request from its two parts, for a table with a column for each. They are validated when it is sent.
    pub fn from_parts(operation: impl Into<String>, request: impl Into<String>) -> Self {
        Self { operation: operation.into(), request: request.into() }
    }

    /// The [`id`](Operation::id) of the operation.
    pub fn operation(&self) -> &str {
        &self.operation
    }

    /// The request as JSON text, without credentials.
    pub fn request(&self) -> &str {
        &self.request
    }
}

impl fmt::Debug for Stored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stored").field("operation", &self.operation).finish_non_exhaustive()
    }
}

impl Connector {
    /// Sends a stored request, with the timeout and retry policy of the connector.
    ///
    /// # Errors
    /// [`Error::Invalid`] if there is no such operation or the JSON is not a request of it, naming what is wrong and
    /// where; nothing is sent then. Otherwise as every call.
    pub async fn send_stored(&self, stored: &Stored) -> Result<Reply, Error> {
        let mut finder = Finder { stored, shared: self.shared(), call: None };
        visit_requests(&mut finder);
        match finder.call {
            Some(call) => call?.await,
            None => Err(Error::invalid(unknown(&stored.operation))),
        }
    }
}

type Running = Pin<Box<dyn Future<Output = Result<Reply, Error>> + Send>>;

/// Finds the type that belongs to the name of the operation.
struct Finder<'a> {
    stored: &'a Stored,
    shared: &'a Arc<Shared>,
    call: Option<Result<Running, Error>>,
}

impl RequestVisitor for Finder<'_> {
    fn visit<R: Request>(&mut self) {
        let operation = R::OPERATION.id;
        if operation == self.stored.operation {
            let request = strict::from_str::<R>(&self.stored.request).map_err(|error| {
                let problem = match error {
                    // serde's own message may quote the request.
                    strict::Error::Json(error) => format!("line {} column {}", error.line(), error.column()),
                    unknown => unknown.to_string(),
                };
                Error::invalid(format!("the stored request is not a request of {operation}: {problem}"))
            });
            self.call = Some(request.map(|request| Box::pin(Call::new(self.shared.clone(), request)) as Running));
        }
    }
}

fn unknown(name: &str) -> String {
    let known = |operation: &&Operation| operation.id.eq_ignore_ascii_case(&name.trim().replace('-', "_"));
    match OPERATIONS.iter().find(known) {
        Some(operation) => format!("there is no operation {name:?}; perhaps {:?}", operation.id),
        None => format!("there is no operation {name:?}; `OPERATIONS` lists them"),
    }
}
