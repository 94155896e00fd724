use std::{
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    time::Duration,
};

use business_data_connector::DOCUMENT;
use business_data_connector_document::Document;
use tokio::{net::TcpListener, sync::oneshot};

use crate::{
    access::Access,
    api,
    callbacks::delivery,
    clock::Clock,
    credentials::{self, Credentials},
    error::Error,
    faults::{FaultRule, FaultRules},
    http::server,
    limits::Limits,
    operations::queue,
    replies::Replies,
    retention::Retention,
    sandbox::Sandbox,
    spec::{
        records::{Layout, RecordType, UPLOADED},
        redaction::Redaction,
        schemas::Schemas,
    },
    state::State,
    store::Store,
};

/// Configures and starts a [`Sandbox`].
///
/// ```
/// # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use std::time::Duration;
///
/// use business_data_connector_sandbox::{Replies, Sandbox};
///
/// let sandbox = Sandbox::builder()
///     .credentials("my-apikey", "my-appid")
///     .header_key("my-header-key")
///     .replies(Replies::Observed)
///     .strict(true)
///     .clock("100x".parse()?)
///     .read_timeout(Duration::from_secs(5))
///     .start()
///     .await?;
/// assert!(sandbox.base_url().starts_with("http://127.0.0.1:"));
/// # Ok(()) }
/// ```
#[derive(Clone, Default)]
#[must_use]
pub struct SandboxBuilder {
    listen: Option<SocketAddr>,
    credentials: Credentials,
    has_own_pairs: bool,
    document: Option<String>,
    data: Option<PathBuf>,
    clock: Clock,
    replies: Replies,
    strict: bool,
    limits: Limits,
    remote_callbacks: bool,
    faults: Vec<FaultRule>,
    access: Access,
    retention: Retention,
}

impl SandboxBuilder {
    /// The default of [`body_limit`](Self::body_limit): 16 MiB.
    pub const DEFAULT_BODY_LIMIT: usize = Limits::DEFAULT.body;
    /// The default of [`connections`](Self::connections): 512.
    pub const DEFAULT_CONNECTIONS: usize = Limits::DEFAULT.connections;
    /// The default of [`read_timeout`](Self::read_timeout): 30 s.
    pub const DEFAULT_READ_TIMEOUT: Duration = Limits::DEFAULT.read_timeout;
    /// The default of [`keep_callbacks`](Self::keep_callbacks): 10000.
    pub const DEFAULT_KEEP_CALLBACKS: u64 = Retention::DEFAULT.callbacks;
    /// The default of [`keep_uploads`](Self::keep_uploads): one day.
    pub const DEFAULT_KEEP_UPLOADS: Duration = Retention::DEFAULT.uploads;

    /// Sets the address to listen on. The default is a free port of the loopback interface.
    pub fn listen(mut self, address: SocketAddr) -> Self {
        self.listen = Some(address);
        self
    }

    /// Adds a pair of credentials that is accepted. The first one replaces the demo pair.
    pub fn credentials(mut self, apikey: impl Into<String>, appid: impl Into<String>) -> Self {
        if !std::mem::replace(&mut self.has_own_pairs, true) {
            self.credentials.pairs.clear();
        }
        self.credentials.pairs.push((apikey.into(), appid.into()));
        self
    }

    /// Adds pairs of credentials from a file with an API key and an application identifier on each line.
    ///
    /// # Errors
    /// [`Error::Credentials`] when the file cannot be read, is empty, or has a line that is not such a pair.
    pub fn credentials_file(self, file: impl AsRef<Path>) -> Result<Self, Error> {
        let pairs = credentials::read_pairs(file.as_ref())?.into_iter();
        Ok(pairs.fold(self, |builder, (apikey, appid)| builder.credentials(apikey, appid)))
    }

    /// Sets the header key that is accepted. The default is [`DEMO_HEADER_KEY`](crate::DEMO_HEADER_KEY).
    pub fn header_key(mut self, key: impl Into<String>) -> Self {
        self.credentials.header_key = key.into();
        self
    }

    /// Also calls webhooks on other machines. By default only this machine is called.
    pub fn allow_remote_callbacks(mut self, allow: bool) -> Self {
        self.remote_callbacks = allow;
        self
    }

    /// Sets the address under which clients reach the sandbox, such as that of a reverse proxy. Requests to its name
    /// are accepted, and upload addresses begin with it; by default they begin with the address that the client used.
    ///
    /// # Errors
    /// [`Error::InvalidLimit`] for what is not the origin of a URL, such as `https://sandbox.example`.
    pub fn public_url(mut self, url: &str) -> Result<Self, Error> {
        self.access.set_public_url(url)?;
        Ok(self)
    }

    /// Accepts requests to a further host name. By default only IP addresses, `localhost` and the name in
    /// [`public_url`](Self::public_url) are accepted, so that no web page reaches the sandbox under a name of its own.
    ///
    /// # Errors
    /// [`Error::InvalidLimit`] for what is not a host name.
    pub fn allow_host(mut self, name: &str) -> Result<Self, Error> {
        self.access.allow_host(name)?;
        Ok(self)
    }

    /// Lets web pages of another origin, such as `http://localhost:3000`, send requests to the operations and the
    /// inspection API, and read the replies. By default requests from pages of other origins are refused.
    ///
    /// # Errors
    /// [`Error::InvalidLimit`] for what is not an origin.
    pub fn cors(mut self, origin: &str) -> Result<Self, Error> {
        self.access.allow_origin(origin)?;
        Ok(self)
    }

    /// Sets how many callbacks are kept: of the last `count`, those that are delivered or discarded; and any that
    /// waits. The default is [`DEFAULT_KEEP_CALLBACKS`](Self::DEFAULT_KEEP_CALLBACKS).
    pub fn keep_callbacks(mut self, count: u64) -> Self {
        self.retention.callbacks = count;
        self
    }

    /// Sets how long an upload address and its file are kept after the address has expired; [`Clock`] shortens it. They
    /// are removed when another address is issued or used. The default is
    /// [`DEFAULT_KEEP_UPLOADS`](Self::DEFAULT_KEEP_UPLOADS).
    pub fn keep_uploads(mut self, time: Duration) -> Self {
        self.retention.uploads = time;
        self
    }

    /// Serves another OpenAPI document than [`business_data_connector::DOCUMENT`].
    pub fn document(mut self, text: impl Into<String>) -> Self {
        self.document = Some(text.into());
        self
    }

    /// Stores everything in a SQLite file, which is created if it does not exist. The default is to store it in
    /// memory.
    ///
    /// A request that was answered 200 is in the file when the process is started again, however it ended.
    pub fn data(mut self, file: impl Into<PathBuf>) -> Self {
        self.data = Some(file.into());
        self
    }

    /// Sets how fast waits pass. The default is real time.
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Sets what replies hold. The default is [`Replies::Specified`].
    pub fn replies(mut self, replies: Replies) -> Self {
        self.replies = replies;
        self
    }

    /// Refuses keys that the interface does not define, and data without the members that deployed services were
    /// observed to require. By default, unknown keys are logged as warnings, since the interface does not forbid them.
    pub fn strict(mut self, strict: bool) -> Self {
        self.strict = strict;
        self
    }

    /// Sets the size of the largest body that is accepted, in bytes. The default is
    /// [`DEFAULT_BODY_LIMIT`](Self::DEFAULT_BODY_LIMIT).
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.limits.body = bytes;
        self
    }

    /// Sets how many connections are served at the same time; further ones wait. The default is
    /// [`DEFAULT_CONNECTIONS`](Self::DEFAULT_CONNECTIONS).
    pub fn connections(mut self, connections: usize) -> Self {
        self.limits.connections = connections;
        self
    }

    /// Sets how long the head of a request may take, how long its body, and how long a reply may wait for its reader.
    /// The default is [`DEFAULT_READ_TIMEOUT`](Self::DEFAULT_READ_TIMEOUT).
    #[doc(alias = "read_time")]
    pub fn read_timeout(mut self, timeout: Duration) -> Self {
        self.limits.read_timeout = timeout;
        self
    }

    /// Adds a fault that is injected from the start. The first rule that matches a request applies.
    pub fn fault(mut self, rule: FaultRule) -> Self {
        self.faults.push(rule);
        self
    }

    /// Starts the sandbox on the current Tokio runtime. It accepts requests when this returns.
    ///
    /// # Errors
    /// [`Error::InvalidLimit`], [`Error::Document`], [`Error::Data`], [`Error::Listen`], [`Error::InvalidFaultRule`]
    /// or [`Error::UnknownFault`], whichever is found first.
    pub async fn start(self) -> Result<Sandbox, Error> {
        self.limits.check()?;
        let invalid_document = |problem: String| Error::Document { problem };
        let text = self.document.as_deref().unwrap_or(DOCUMENT);
        let document = Document::parse(text).map_err(|e| invalid_document(e.to_string()))?;
        let store = tokio::task::spawn_blocking(|| Store::start(self.data)).await??;
        let address = self.listen.unwrap_or((Ipv4Addr::LOCALHOST, 0).into());
        let cannot_listen = |source| Error::Listen { address, source };
        let listener = TcpListener::bind(address).await.map_err(cannot_listen)?;
        let listen = listener.local_addr().map_err(cannot_listen)?;
        let operations = document.operations();
        let components = operations.iter().map(|operation| operation.request.as_str()).chain([UPLOADED]);
        let layouts =
            operations.iter().filter_map(|operation| Some((operation.id.clone(), Layout::of(&document, operation)?)));
        let state = Arc::new(State {
            base_url: format!("http://{listen}"),
            listen,
            access: self.access,
            retention: self.retention,
            schemas: Schemas::compile(&document, components).map_err(invalid_document)?,
            layouts: layouts.collect(),
            uploaded: RecordType::of(&document, UPLOADED),
            redaction: Redaction::of(&document),
            document,
            store,
            credentials: self.credentials,
            limits: self.limits,
            clock: self.clock,
            replies: self.replies,
            strict: self.strict,
            remote_callbacks: self.remote_callbacks,
            queue_changed: Arc::default(),
            callbacks_changed: Arc::default(),
            log: Mutex::default(),
            faults: Mutex::new(FaultRules::default()),
        });
        self.faults.into_iter().try_for_each(|rule| state.add_fault(rule).map(drop))?;
        let (stop, stopped) = oneshot::channel();
        let server = tokio::spawn(server::run(listener, api::router(&state), state.clone(), stopped));
        let weak = Arc::downgrade(&state);
        let tasks = [tokio::spawn(queue::run(weak.clone())), tokio::spawn(delivery::run(weak))];
        Ok(Sandbox::new(state, stop, server, tasks))
    }
}

impl Sandbox {
    /// Starts a sandbox with the defaults: the demo credentials and the demo business, on a free port of the loopback
    /// interface, in memory.
    ///
    /// # Errors
    /// As [`SandboxBuilder::start`].
    pub async fn start() -> Result<Self, Error> {
        Self::builder().start().await
    }

    /// Configures a sandbox.
    pub fn builder() -> SandboxBuilder {
        SandboxBuilder::default()
    }
}
