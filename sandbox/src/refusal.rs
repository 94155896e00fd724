use std::fmt;

/// Why a request was refused, which the answer itself does not tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The operation.
    pub operation: String,
    /// The status that was answered: 400 or 401.
    pub status: u16,
    /// Where it is wrong and how, a line a fault. Values are not repeated: they may be secret.
    pub reason: String,
}

impl Refusal {
    pub(crate) fn bad_request(operation: &str, reason: impl Into<String>) -> Self {
        Self { operation: operation.to_owned(), status: 400, reason: reason.into() }
    }

    pub(crate) fn unauthorized(operation: &str, reason: impl Into<String>) -> Self {
        Self { operation: operation.to_owned(), status: 401, reason: reason.into() }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.operation, self.status, self.reason)
    }
}
