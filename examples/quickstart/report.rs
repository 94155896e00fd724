//! Prints the report.

use std::{collections::BTreeMap, time::Duration};

use business_data_connector::{OPERATIONS, inbox::Counts};

use crate::totals::Totals;

/// The calls of one operation.
#[derive(Default)]
pub struct Calls {
    /// How many replies had each status.
    pub statuses: BTreeMap<u16, usize>,
    /// Until the callback, for an operation that has one.
    pub time: Duration,
    /// How many calls got their final callback.
    pub callbacks: usize,
    /// How many interim callbacks preceded those.
    pub interim: usize,
    /// The method that made the call, if it makes several.
    pub part_of: Option<&'static str>,
}

pub type Report = BTreeMap<&'static str, Calls>;

/// Prints a line for each operation, and what the inbox received. Returns the problems found.
pub fn operations(report: &Report, skipped: &BTreeMap<&str, &str>, counts: Counts) -> Vec<String> {
    let mut problems = Vec::new();
    println!("{:<24} {:>6}  {:<12} {:>10}  callback", "operation", "calls", "status", "time");
    for operation in OPERATIONS {
        let Some(calls) = report.get(operation.id) else {
            let reason = skipped.get(operation.id);
            println!("{:<24} {:>6}  {}", operation.id, 0, reason.unwrap_or(&"not called"));
            if reason.is_none() {
                problems.push(format!("{} was not called", operation.id));
            }
            continue;
        };
        if let Some(method) = calls.part_of {
            println!("{:<24} {:>6}  as a part of {method}", operation.id, 1);
            continue;
        }
        let count: usize = calls.statuses.values().sum();
        let statuses: Vec<_> = calls.statuses.keys().map(u16::to_string).collect();
        let interim = if calls.interim == 0 { String::new() } else { format!(", {} interim", calls.interim) };
        let callback = match operation.callback {
            None => "-".to_owned(),
            Some(_) => format!("{} of {count}{interim}", calls.callbacks),
        };
        let time = format!("{:.1} ms", calls.time.as_secs_f64() * 1e3);
        println!("{:<24} {count:>6}  {:<12} {time:>10}  {callback}", operation.id, statuses.join(","));
        if operation.callback.is_some() && calls.callbacks < count {
            problems.push(format!("{}: {} of {count} callbacks arrived", operation.id, calls.callbacks));
        }
    }
    let Counts { new, duplicates, rejected, .. } = counts;
    println!("\n{new} callbacks received, {duplicates} of them more than once, {rejected} forged");
    problems
}

/// Prints the totals of both sides. Returns the differences.
pub fn totals(pushed: &Totals, held: &Totals) -> Vec<String> {
    let mut problems = Vec::new();
    println!("{:<12} {:<8} {:>16} {:>16}", "total", "currency", "pushed", "held");
    let keys: std::collections::BTreeSet<_> = pushed.0.keys().chain(held.0.keys()).collect();
    for key @ (category, currency) in keys {
        let of = |totals: &Totals| totals.0.get(key).copied().unwrap_or_default();
        let (left, right) = (of(pushed), of(held));
        println!("{category:<12} {currency:<8} {left:>16} {right:>16}");
        if left != right {
            problems.push(format!("{category} in {currency}: {left} was pushed, but the sandbox holds {right}"));
        }
    }
    problems
}
