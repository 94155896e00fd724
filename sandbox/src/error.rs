use std::{io, net::SocketAddr, path::PathBuf};

/// Why a sandbox could not be configured, started, read or stopped.
///
/// `Display` is a sentence that says what is wrong, where, and what to do about it. It never shows a credential.
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use business_data_connector_sandbox::{Error, Sandbox};
///
/// let first = Sandbox::start().await?;
/// let address = first.base_url().trim_start_matches("http://").parse()?;
/// match Sandbox::builder().listen(address).start().await {
///     Err(Error::Listen { address: refused, .. }) => assert_eq!(refused, address),
///     _ => panic!("two sandboxes share an address"),
/// }
/// # Ok(()) }
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A limit with which no request could ever be served.
    #[error("{limit} is {value}; expected {expected}")]
    InvalidLimit {
        /// The method of [`SandboxBuilder`](crate::SandboxBuilder) that sets it.
        limit: &'static str,
        /// The value.
        value: String,
        /// The range that is accepted.
        expected: String,
    },
    /// A text that is not a [`Clock`](crate::Clock).
    #[error("`{text}` is not a clock speed; write a positive factor such as 1x, 100x or 0.5x")]
    InvalidClock {
        /// The text.
        text: String,
    },
    /// A text that is not a [`Fault`](crate::Fault), or a fault that cannot be written as text.
    #[error("unknown fault `{text}`; expected one of {expected}")]
    UnknownFault {
        /// The text.
        text: String,
        /// How faults are written.
        expected: String,
    },
    /// A [`FaultRule`](crate::FaultRule) that can never match a request.
    #[error("invalid fault rule: {problem}")]
    InvalidFaultRule {
        /// What is wrong and what to do.
        problem: String,
    },
    /// The file of [`credentials_file`](crate::SandboxBuilder::credentials_file) cannot be used.
    #[error("cannot read the credentials in {}: {problem}", file.display())]
    Credentials {
        /// The file.
        file: PathBuf,
        /// What is wrong and what to do.
        problem: String,
    },
    /// The document of [`document`](crate::SandboxBuilder::document) cannot be served.
    #[error("cannot serve the document: {problem}")]
    Document {
        /// What is wrong with it, and where.
        problem: String,
    },
    /// The address of [`listen`](crate::SandboxBuilder::listen) cannot be used.
    #[error("cannot listen on {address}: {source}; choose another address, or port 0 for a free port")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: io::Error,
    },
    /// The file of [`data`](crate::SandboxBuilder::data) cannot be used.
    #[error(
        "cannot open the data file {}: {problem}; close the program that uses it, or choose another file",
        file.display()
    )]
    Data {
        /// The file.
        file: PathBuf,
        /// Why.
        problem: String,
    },
    /// The store failed, such as when the disk is full.
    #[error("the store failed: {problem}")]
    Store {
        /// What SQLite reported.
        problem: String,
    },
    /// A task of the sandbox panicked, which is a defect of the sandbox.
    #[error("a task of the sandbox ended unexpectedly: {problem}; please report it")]
    Task {
        /// What is known about it.
        problem: String,
    },
}

impl From<tokio::task::JoinError> for Error {
    fn from(error: tokio::task::JoinError) -> Self {
        Self::Task { problem: error.to_string() }
    }
}
