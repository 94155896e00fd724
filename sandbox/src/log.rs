//! What was asked and how it was answered, for whoever must debug an answer without content.

use std::{collections::VecDeque, time::SystemTime};

use serde::Serialize;
use serde_json::value::RawValue;

use crate::{Fault, Reason};

/// How many requests are remembered.
const REMEMBERED: usize = 1000;

/// A request as it was answered. It holds no secret.
#[derive(Debug, Clone, Serialize)]
pub struct Request {
    /// Its number since the sandbox was started.
    pub number: u64,
    /// When it was answered, UTC.
    pub at: String,
    /// The operation; or `upload` for a file, `none` for another address or method, `connection` for what is no request of
    /// HTTP/1.1.
    pub operation: String,
    /// The business it names.
    pub uid: Option<String>,
    /// The status of the answer; none for a connection that was reset, or whose sender did not go on.
    pub status: Option<u16>,
    /// Why it was refused.
    pub reasons: Vec<Reason>,
    /// What was borne and may be a mistake.
    pub warnings: Vec<String>,
    /// The fault that was asked for.
    pub fault: Option<Fault>,
    /// Its body, without secrets; none for one that is no JSON or very large.
    pub body: Option<Box<RawValue>>,
}

/// The last requests.
pub(crate) struct Log {
    requests: VecDeque<Request>,
    answered: u64,
    /// Tells this list from one that was cleared, or that another sandbox at the same address has.
    run: String,
}

impl Default for Log {
    fn default() -> Self {
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        Self { requests: VecDeque::new(), answered: 0, run: now.as_nanos().to_string() }
    }
}

impl Log {
    pub(crate) fn run(&self) -> String {
        self.run.clone()
    }

    pub(crate) fn add(&mut self, mut request: Request) {
        self.answered += 1;
        request.number = self.answered;
        request.at = humantime::format_rfc3339_millis(SystemTime::now()).to_string();
        self.requests.push_back(request);
        if self.requests.len() > REMEMBERED {
            self.requests.pop_front();
        }
    }

    /// Adds a request that reached no operation of the document.
    pub(crate) fn add_elsewhere(&mut self, operation: &str, status: Option<u16>, reasons: Vec<Reason>) {
        self.add(Request {
            number: 0,
            at: String::new(),
            operation: operation.to_owned(),
            uid: None,
            status,
            reasons,
            warnings: Vec::new(),
            fault: None,
            body: None,
        });
    }

    pub(crate) fn requests(&self) -> impl Iterator<Item = &Request> {
        self.requests.iter()
    }

    pub(crate) fn clear(&mut self) {
        *self = Self { answered: self.answered, ..Self::default() };
    }
}
