/// One operation of the interface, as the document describes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Operation {
    /// Its name, which is also that of its method on [`Connector`](crate::Connector).
    pub id: &'static str,
    /// Its path below the base URL, beginning with a slash.
    pub path: &'static str,
    /// The group it belongs to, as the document's tags name it.
    pub tag: &'static str,
    /// One line on what it does.
    pub summary: &'static str,
    /// The header that carries the header key, for the operations that declare one.
    pub header_key: Option<&'static str>,
    /// Whether repeating it is harmless.
    pub effect: Effect,
    /// Whether its outcome is delivered to a webhook later.
    pub asynchronous: bool,
    /// How the operation is known.
    pub evidence: Evidence,
}

/// What an operation does to the data of a business. Assumed: the interface has only POST and does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Effect {
    /// Repeating it changes nothing.
    Read,
    /// Repeating it may store or trigger something twice.
    Write,
}

/// How a statement about the interface is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Evidence {
    /// The interface specification says so.
    Specified,
    /// Deployed services of this shape were seen to do so.
    Observed,
    /// Chosen here, because software has to choose.
    Assumed,
}
