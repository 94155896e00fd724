use std::fmt;

use serde::Serialize;

/// The largest number of reasons that one request is given.
pub(crate) const MAX_REASONS: usize = 100;

/// One thing that is wrong with a request. It never repeats a value, which may be secret.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # use business_data_connector::{Connector, types::IncomeRecord};
/// # use business_data_connector_sandbox::{DEMO_APIKEY, DEMO_APPID, Sandbox};
/// let sandbox = Sandbox::start().await?;
/// # let connector = Connector::builder().base_url(sandbox.base_url()).credentials(DEMO_APIKEY, DEMO_APPID).build()?;
/// assert!(connector.push_income("nobody", IncomeRecord::new()).await.is_err());
/// let refusals = sandbox.refusals();
/// let reason = &refusals[0].reasons[0];
/// assert_eq!((reason.pointer.as_str(), reason.rule.as_str()), ("/uid", "business"));
/// assert!(reason.to_string().starts_with("/uid: expected the uid of a business that exists"));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Reason {
    /// The location, as a JSON pointer into the body; empty for the body or the request as a whole.
    pub pointer: String,
    /// The rule that is broken: a keyword of JSON Schema, or a word of the sandbox.
    pub rule: String,
    /// What the rule requires.
    pub expected: String,
    /// What was found instead.
    pub got: String,
}

impl Reason {
    pub(crate) fn new(
        pointer: impl Into<String>,
        rule: impl Into<String>,
        expected: impl Into<String>,
        got: impl Into<String>,
    ) -> Self {
        Self { pointer: shortened(pointer), rule: shortened(rule), expected: shortened(expected), got: shortened(got) }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { pointer, rule, expected, got } = self;
        let colon = if pointer.is_empty() { "" } else { ": " };
        write!(f, "{pointer}{colon}expected {expected}, got {got} ({rule})")
    }
}

/// A request that was refused, and why. The reply itself has no content that would say so.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # use business_data_connector::Connector;
/// # use business_data_connector_sandbox::Sandbox;
/// let sandbox = Sandbox::start().await?;
/// let connector = Connector::builder().base_url(sandbox.base_url()).credentials("wrong", "pair").build()?;
/// assert!(connector.verify_apikey().await.is_err());
/// let refusals = sandbox.refusals();
/// assert_eq!((refusals[0].operation.as_str(), refusals[0].status), ("verify_apikey", 401));
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refusal {
    /// The operation.
    pub operation: String,
    /// The status of the reply: 400 or 401; for what reached no operation also 403, 404, 405 or 415.
    pub status: u16,
    /// Everything that is wrong with the request.
    pub reasons: Vec<Reason>,
}

impl Refusal {
    pub(crate) fn bad_request(operation: &str, reasons: Vec<Reason>) -> Self {
        Self { operation: operation.to_owned(), status: 400, reasons }
    }

    pub(crate) fn unauthorized(operation: &str, reason: Reason) -> Self {
        Self { operation: operation.to_owned(), status: 401, reasons: vec![reason] }
    }

    /// The reasons, one per line.
    pub fn reason(&self) -> String {
        lines(&self.reasons)
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.operation, self.status, self.reason())
    }
}

/// Reasons as text, one per line.
pub(crate) fn lines(reasons: &[Reason]) -> String {
    reasons.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// Shortens a text that its sender chose, and that may have any length.
pub(crate) fn shortened(text: impl Into<String>) -> String {
    const MAX_CHARS: usize = 300;

    let mut text = text.into();
    if let Some((end, _)) = text.char_indices().nth(MAX_CHARS) {
        text.truncate(end);
        text.push('…');
    }
    text
}
