use std::fmt;

use crate::{Reason, reason::lines};

/// Why a request was refused, which the answer itself does not tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The operation.
    pub operation: String,
    /// The status that was answered: 400 or 401.
    pub status: u16,
    /// Everything that is wrong.
    pub reasons: Vec<Reason>,
}

impl Refusal {
    pub(crate) fn bad_request(operation: &str, reasons: Vec<Reason>) -> Self {
        Self { operation: operation.to_owned(), status: 400, reasons }
    }

    pub(crate) fn unauthorized(operation: &str, reason: Reason) -> Self {
        Self { operation: operation.to_owned(), status: 401, reasons: vec![reason] }
    }

    /// The reasons, a line each.
    pub fn reason(&self) -> String {
        lines(&self.reasons)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.operation, self.status, self.reason())
    }
}
