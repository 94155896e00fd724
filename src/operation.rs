/// An operation of the interface, as the OpenAPI document describes it. All of them are in
/// [`OPERATIONS`](crate::OPERATIONS).
///
/// ```
/// use business_data_connector::OPERATIONS;
///
/// for operation in OPERATIONS {
///     println!("{}: POST {}", operation.id, operation.path);
/// }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Operation {
    /// The `operationId`, which is also the name of the method on [`Connector`](crate::Connector).
    pub id: &'static str,
    /// The path below the base URL, with a leading slash.
    pub path: &'static str,
    /// The group that the operation belongs to: its tag in the document.
    pub tag: &'static str,
    /// A one-line summary.
    pub summary: &'static str,
    /// The name of the header that carries the header key, if the operation declares one.
    pub header_key: Option<&'static str>,
    /// Whether the operation changes data, and so whether a retry can do harm.
    pub effect: Effect,
    /// Whether the outcome is delivered to a webhook later.
    pub asynchronous: bool,
    /// The name of the schema that `response` in its callbacks is known to have; `None` for an operation without a
    /// `webhook`. [`Asynchronous::Response`](crate::Asynchronous::Response) is its type.
    pub callback: Option<&'static str>,
    /// How it is known that the operation exists.
    pub evidence: Evidence,
}

/// Whether an operation changes the data of a business. This is assumed: every operation is a POST, and the interface
/// does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Effect {
    /// It changes nothing; sending it twice is harmless.
    Read,
    /// It stores or triggers something; sending it twice may do so twice.
    Write,
}

/// How a fact about the interface is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Evidence {
    /// The interface specification states it.
    Specified,
    /// Deployed services of this kind were observed to behave so.
    Observed,
    /// Assumed here, because software has to decide.
    Assumed,
}
