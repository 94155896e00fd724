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
    /// Whether its purpose is to remove, end or overwrite something rather than to add to it. Assumed.
    pub destructive: bool,
    /// Whether the outcome is delivered to a webhook later.
    pub asynchronous: bool,
    /// The name of the schema that `response` in its callbacks is known to have; `None` for an operation without a
    /// `webhook`. [`Asynchronous::Response`](crate::Asynchronous::Response) is its type.
    pub callback: Option<&'static str>,
    /// What is known of the record that the operation pushes; `None` if its `data` is not one record.
    pub record: Option<RecordFacts>,
    /// The fields of the request that hold a secret, or an address whose query may be one: their paths, such as
    /// `data.url`, sorted. Items of a list are written as `[]`. `Debug` hides them.
    pub sensitive: &'static [&'static str],
    /// How it is known that the operation exists.
    pub evidence: Evidence,
}

/// What is known of the record that an operation pushes, for a queue that sends many of them and checks what arrived.
/// All of it is assumed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecordFacts {
    /// The field of the record that identifies it within its business.
    pub id: &'static str,
    /// The [`id`](Operation::id) of the operation in which the record can travel with others.
    pub batch: Option<&'static str>,
    /// The field of that operation's `data` that lists the records.
    pub batch_member: Option<&'static str>,
    /// The [`id`](Operation::id) of the operation that returns the records of this kind that the service holds.
    pub pulled_by: Option<&'static str>,
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
