//! Which fault a request gets: the one that it asks for, or that of the first rule that matches.

use axum::http::HeaderValue;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::fault::Fault;
use crate::{error::Error, refusal::shortened};

/// Injects a fault into requests of one operation, or of any.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # use business_data_connector::Connector;
/// # use business_data_connector_sandbox::{DEMO_APIKEY, DEMO_APPID};
/// use business_data_connector_sandbox::{Fault, FaultRule, Sandbox};
///
/// let sandbox = Sandbox::start().await?;
/// # let builder = Connector::builder().base_url(sandbox.base_url()).credentials(DEMO_APIKEY, DEMO_APPID);
/// # let connector = builder.retry_policy(business_data_connector::RetryPolicy::never()).build()?;
/// sandbox.add_fault(FaultRule::new(Fault::Unauthorized).operation("verify_apikey").times(1))?;
/// assert!(connector.verify_apikey().await.is_err_and(|error| error.is_unauthorized()));
/// connector.verify_apikey().await?;
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct FaultRule {
    /// The operation; any, if none is named.
    #[serde(default)]
    pub operation: Option<String>,
    /// The fault.
    pub fault: Fault,
    /// The number of requests that get the fault; all, if none is given.
    #[serde(default)]
    pub times: Option<u32>,
}

impl FaultRule {
    /// A rule for every request of every operation.
    pub fn new(fault: Fault) -> Self {
        Self { operation: None, fault, times: None }
    }

    /// Limits the rule to one operation, such as `push_income`.
    #[must_use]
    pub fn operation(mut self, operation: impl Into<String>) -> Self {
        self.operation = Some(operation.into());
        self
    }

    /// Limits the rule to this many requests.
    #[must_use]
    pub fn times(mut self, times: u32) -> Self {
        self.times = Some(times);
        self
    }

    /// # Errors
    /// [`Error::InvalidFaultRule`] when the rule can never match, [`Error::UnknownFault`] for a fault that cannot be
    /// written, such as `Fault::Status(418)`.
    pub(crate) fn check<'a>(&self, mut operations: impl Iterator<Item = &'a str>) -> Result<(), Error> {
        let invalid = |problem| Err(Error::InvalidFaultRule { problem });
        if let Some(unknown) = self.operation.as_ref().filter(|named| !operations.any(|known| known == named.as_str()))
        {
            return invalid(format!(
                "`{}` is not an operation of the document; leave it out to match any",
                shortened(unknown)
            ));
        }
        if self.times == Some(0) {
            return invalid("`times` is 0; leave it out for a fault that stays".to_owned());
        }
        // `Status(503)` is written like `Unavailable(1)`, which it is not.
        match self.fault.to_string().parse::<Fault>() {
            Ok(fault) if fault == self.fault => Ok(()),
            Ok(other) => invalid(format!("`{:?}` cannot be written; use `{other:?}`", self.fault)),
            Err(unknown) => Err(unknown),
        }
    }
}

/// A rule in force.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct ActiveRule {
    /// Its number, counted from the start of the sandbox. It is never used again.
    pub(crate) id: u64,
    #[serde(flatten)]
    pub(crate) rule: FaultRule,
}

/// The rules in force; the first that matches applies.
#[derive(Default)]
pub(crate) struct FaultRules {
    rules: Vec<ActiveRule>,
    count: u64,
}

impl FaultRules {
    /// Adds a rule, and returns its number.
    pub(crate) fn add(&mut self, rule: FaultRule) -> u64 {
        self.count += 1;
        self.rules.push(ActiveRule { id: self.count, rule });
        self.count
    }

    pub(crate) fn list(&self) -> Vec<ActiveRule> {
        self.rules.clone()
    }

    pub(crate) fn clear(&mut self) {
        self.rules.clear();
    }

    /// Removes a rule; `false` if it is not in force.
    pub(crate) fn remove(&mut self, id: u64) -> bool {
        let before = self.rules.len();
        self.rules.retain(|active| active.id != id);
        self.rules.len() < before
    }

    /// The fault of the next request of an operation; the rule is used up by it.
    pub(crate) fn next(&mut self, operation: &str) -> Option<Fault> {
        let matches = |active: &ActiveRule| active.rule.operation.as_ref().is_none_or(|named| named == operation);
        let index = self.rules.iter().position(matches)?;
        let rule = &mut self.rules[index].rule;
        let fault = rule.fault;
        if let Some(times) = &mut rule.times {
            *times = times.saturating_sub(1);
            if *times == 0 {
                self.rules.remove(index);
            }
        }
        Some(fault)
    }
}

/// The fault that a request asks for itself, in its header or anywhere in its notes.
///
/// # Errors
/// [`Error::UnknownFault`], within the `Option`.
pub(crate) fn requested(header: Option<&HeaderValue>, body: &Value) -> Option<Result<Fault, Error>> {
    match header.and_then(|value| value.to_str().ok()) {
        Some(text) => Some(text.parse()),
        None => in_notes(body).map(str::parse),
    }
}

fn in_notes(value: &Value) -> Option<&str> {
    match value {
        Value::Object(members) => {
            let own = members.get("notes").and_then(Value::as_str).and_then(|notes| notes.split("sandbox:").nth(1));
            // Notes are prose, so punctuation may follow the name.
            let own = own.map(|rest| rest.split_whitespace().next().unwrap_or_default());
            let own = own.map(|name| name.trim_end_matches([')', '.', ',', ';', ':', '!', '?']));
            own.or_else(|| members.values().find_map(in_notes))
        }
        Value::Array(items) => items.iter().find_map(in_notes),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_applies_to_as_many_requests_as_it_says() {
        let mut rules = FaultRules::default();
        rules.add(FaultRule::new(Fault::Cut).operation("a").times(2));
        rules.add(FaultRule::new(Fault::ErrorTrue));
        let faults: Vec<_> = ["b", "a", "a", "a"].iter().map(|operation| rules.next(operation)).collect();
        assert_eq!(faults, [Some(Fault::ErrorTrue), Some(Fault::Cut), Some(Fault::Cut), Some(Fault::ErrorTrue)]);
    }
}
