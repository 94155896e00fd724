//! How CPU time and peak memory grow with the number of records.

/// What is done with more and more records.
#[derive(Debug, Clone, PartialEq)]
pub struct Growth {
    pub name: String,
    /// The number of records, CPU seconds, and the bytes of memory at the peak.
    pub points: Vec<(u64, f64, u64)>,
}
