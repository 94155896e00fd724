//! What the document says about batches and pulls, the same for every store.

use business_data_connector::{OPERATIONS, Operation};

use super::types::{Limits, Row};
use crate::record::operation;

/// A request that is queued.
pub(crate) struct Queued {
    pub(crate) number: i64,
    pub(crate) operation: String,
    pub(crate) request: String,
    pub(crate) alone: bool,
}

/// The operation that is called, whether it is one for many records, and what fits into it.
pub(crate) fn fill(
    first: &'static Operation,
    queued: Vec<Queued>,
    limits: Limits,
) -> (&'static Operation, bool, Vec<Row>) {
    let batch = |queued: &Queued| {
        let record = operation(&queued.operation)?.record?;
        Some((operation(record.batch?)?, record.batch_member?)).filter(|_| !queued.alone)
    };
    let called = queued.first().and_then(batch).map_or(first, |(called, _)| called);
    let together = called.id != first.id;
    let (mut rows, mut bytes) = (Vec::new(), 0_usize);
    for queued in queued {
        let travels = batch(&queued).filter(|(operation, _)| operation.id == called.id);
        bytes = bytes.saturating_add(queued.request.len());
        if !rows.is_empty() && (!together || travels.is_none() || bytes > limits.bytes) {
            break;
        }
        let member = travels.map(|(_, member)| member).filter(|_| together);
        rows.push(Row { number: queued.number, member, request: queued.request });
    }
    (called, together, rows)
}

/// Whether what became of a record can be found by a pull.
pub(crate) fn is_pulled(id: &str) -> bool {
    operation(id).and_then(|operation| operation.record).is_some_and(|record| record.pulled_by.is_some())
}

/// The operations whose records a pull returns.
pub(crate) fn pulled_by(pull: &str) -> impl Iterator<Item = &'static str> {
    let returns = move |operation: &&Operation| operation.record.and_then(|record| record.pulled_by) == Some(pull);
    OPERATIONS.iter().filter(returns).map(|operation| operation.id)
}
