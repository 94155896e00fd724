//! What became of the records, by kind, currency and state.

use std::{collections::BTreeMap, error::Error, fmt, process::ExitCode};

use business_data_connector::Decimal;
use business_data_connector_outbox::{Outbox, State};

use crate::money;

/// The operation, the currency and the state; how many, and the sum.
type Lines = BTreeMap<(String, String, State), (u64, Decimal)>;

/// Sums by operation and currency.
pub type Totals = BTreeMap<(String, String), Decimal>;

pub struct Report {
    lines: Lines,
    /// What the service, or the attempt to reach it, says about what is neither confirmed nor under way.
    reasons: Vec<(String, State, String)>,
    /// How many are still looked for.
    looked_for: BTreeMap<String, u64>,
}

/// How many reasons are shown.
const SHOWN: usize = 20;

impl Report {
    pub async fn read(outbox: &Outbox) -> Result<Self, Box<dyn Error>> {
        let mut report = Self { lines: Lines::new(), reasons: Vec::new(), looked_for: BTreeMap::new() };
        let mut after = 0;
        loop {
            let page = outbox.entries(None, after, 1_000).await?;
            let Some(last) = page.last() else { return Ok(report) };
            after = last.number;
            for entry in page {
                let money = money::of_request(&entry.operation, &entry.request)?;
                let (currency, amount) = money.unwrap_or_default();
                let line = report.lines.entry((entry.operation.clone(), currency, entry.state)).or_default();
                line.0 += 1;
                line.1 = line.1.checked_add(amount).ok_or("a total has too many digits")?;
                if entry.next_check.is_some() {
                    *report.looked_for.entry(entry.operation.clone()).or_default() += 1;
                }
                let settled = matches!(entry.state, State::Confirmed | State::Queued | State::Sending | State::Taken);
                if let Some(reason) = entry.reason.filter(|_| !settled) {
                    let absent = if entry.absent { "; two pulls did not return it" } else { "" };
                    let id = entry.record_id.unwrap_or_else(|| entry.number.to_string());
                    report.reasons.push((id, entry.state, format!("{reason}{absent}")));
                }
            }
        }
    }

    pub fn count(&self, states: &[State]) -> u64 {
        self.lines.iter().filter(|((_, _, state), _)| states.contains(state)).map(|(_, (count, _))| count).sum()
    }

    /// How many records of each operation are still looked for.
    pub fn open(&self) -> impl Iterator<Item = (&String, u64)> {
        self.looked_for.iter().map(|(operation, count)| (operation, *count))
    }

    /// What the service has, or may have.
    #[cfg(test)]
    pub fn known_to_be_there_or_open(&self) -> Totals {
        let mut totals = Totals::new();
        for ((operation, currency, state), (_, amount)) in &self.lines {
            let there = matches!(state, State::Confirmed | State::Taken | State::Unknown | State::Unconfirmed);
            if there && !currency.is_empty() {
                let total = totals.entry((operation.clone(), currency.clone())).or_default();
                *total = total.checked_add(*amount).unwrap();
            }
        }
        totals
    }

    pub fn exit_code(&self) -> ExitCode {
        if self.count(&[State::Queued, State::Sending, State::Taken]) > 0 {
            ExitCode::from(3)
        } else if self.count(&[State::Refused, State::Unknown, State::Unconfirmed, State::Parked]) > 0 {
            ExitCode::from(2)
        } else {
            ExitCode::SUCCESS
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{:<16} {:<8} {:<12} {:>8} {:>14}", "operation", "currency", "state", "records", "amount")?;
        for ((operation, currency, state), (count, amount)) in &self.lines {
            let amount = if currency.is_empty() { String::new() } else { amount.to_string() };
            writeln!(f, "{operation:<16} {currency:<8} {state:<12} {count:>8} {amount:>14}")?;
        }
        for (id, state, reason) in self.reasons.iter().take(SHOWN) {
            writeln!(f, "{state}: {id}: {reason}")?;
        }
        match self.reasons.len().saturating_sub(SHOWN) {
            0 => Ok(()),
            more => writeln!(f, "and {more} more"),
        }
    }
}
