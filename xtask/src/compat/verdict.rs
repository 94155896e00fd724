//! What a change means for those who are affected by it.

use std::fmt;

/// How severe a change is, in ascending order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Nobody has to do anything.
    Patch,
    /// Nobody has to do anything, and there is something new to use.
    Minor,
    /// Code or requests that were valid before can be invalid now.
    Breaking,
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Patch => "patch",
            Self::Minor => "minor",
            Self::Breaking => "breaking",
        })
    }
}

/// One difference between two contracts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// What changed and where, as a sentence.
    pub sentence: String,
    /// For users of the crate.
    pub rust: Verdict,
    /// For those who send requests as JSON.
    pub senders: Verdict,
    /// For those who receive callbacks as JSON.
    pub receivers: Verdict,
}
