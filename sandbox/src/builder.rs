use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    time::Duration,
};

use business_data_connector::DOCUMENT;
use business_data_connector_document::Document;
use tokio::{net::TcpListener, sync::oneshot};

use crate::{
    Clock, FaultRule, Replies, Sandbox,
    credentials::{self, Credentials},
    deliver,
    effect::UPLOADED,
    kind::{Kind, Shape},
    process,
    redaction::Redaction,
    route,
    schemas::Schemas,
    serve::{self, Limits},
    service::Service,
    store::Store,
};

/// Sets up a [`Sandbox`].
#[derive(Clone, Default)]
#[must_use]
pub struct SandboxBuilder {
    listen: Option<SocketAddr>,
    credentials: Credentials,
    document: Option<String>,
    data: Option<PathBuf>,
    clock: Clock,
    replies: Replies,
    strict: bool,
    limits: Limits,
    own_pairs: bool,
    remote_callbacks: bool,
    faults: Vec<FaultRule>,
}

impl SandboxBuilder {
    /// The address to listen on: a free port of the loopback interface, unless set.
    pub fn listen(mut self, address: SocketAddr) -> Self {
        self.listen = Some(address);
        self
    }

    /// A pair that is accepted, in place of the demo pair and beside those given before.
    pub fn credentials(mut self, apikey: impl Into<String>, appid: impl Into<String>) -> Self {
        if !std::mem::replace(&mut self.own_pairs, true) {
            self.credentials.pairs.clear();
        }
        self.credentials.pairs.push((apikey.into(), appid.into()));
        self
    }

    /// Pairs that are accepted, from a file with an API key and an application identifier on each line.
    ///
    /// # Errors
    /// When the file cannot be read, holds no pair, or a line is not one.
    pub fn credentials_in(self, file: impl AsRef<Path>) -> io::Result<Self> {
        let pairs = credentials::pairs_in(file.as_ref())?.into_iter();
        Ok(pairs.fold(self, |builder, (apikey, appid)| builder.credentials(apikey, appid)))
    }

    /// Calls webhooks on other machines too. Without, none but this one is called.
    pub fn allow_remote_callbacks(mut self, allow: bool) -> Self {
        self.remote_callbacks = allow;
        self
    }

    /// The header key that is accepted, in place of the demo key.
    pub fn header_key(mut self, key: impl Into<String>) -> Self {
        self.credentials.header_key = key.into();
        self
    }

    /// Another document to serve, in place of that of the connector.
    pub fn document(mut self, text: impl Into<String>) -> Self {
        self.document = Some(text.into());
        self
    }

    /// The file to keep everything in: in memory, unless set. What was answered 200 is there when the process comes back,
    /// however it ended.
    pub fn data(mut self, file: impl Into<PathBuf>) -> Self {
        self.data = Some(file.into());
        self
    }

    /// How fast the waits between attempts at a callback go.
    pub fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// What answers carry: nothing, unless set.
    pub fn replies(mut self, replies: Replies) -> Self {
        self.replies = replies;
        self
    }

    /// Refuses keys that the interface does not know, and a new business without what deployed services were seen to want of
    /// it. Without, unknown keys are logged: the interface does not forbid them.
    pub fn strict(mut self, strict: bool) -> Self {
        self.strict = strict;
        self
    }

    /// The size of a body, in bytes, over which it is refused: 16 MiB, unless set.
    pub fn body_limit(mut self, bytes: usize) -> Self {
        self.limits.body = bytes;
        self
    }

    /// How many connections are served at once: 512, unless set. More wait.
    pub fn connections(mut self, connections: usize) -> Self {
        self.limits.connections = connections;
        self
    }

    /// How long the head of a request may take, how long its body, and how long an answer may wait for its reader: 30 s, unless
    /// set.
    pub fn read_time(mut self, time: Duration) -> Self {
        self.limits.read_time = time;
        self
    }

    /// Something that goes wrong, from the start on; the first that fits a request is taken.
    pub fn fault(mut self, rule: FaultRule) -> Self {
        self.faults.push(rule);
        self
    }

    /// Starts the sandbox on the current Tokio runtime; it answers when this returns.
    ///
    /// # Errors
    /// When the address cannot be listened on, the file not be used, the document not be served, or a limit or fault can never
    /// hold.
    pub async fn start(self) -> io::Result<Sandbox> {
        self.limits.check().map_err(|e| io::Error::new(io::ErrorKind::InvalidInput, e))?;
        let document = Document::parse(self.document.as_deref().unwrap_or(DOCUMENT)).map_err(io::Error::other)?;
        let store = tokio::task::spawn_blocking({
            let file = self.data.clone();
            move || Store::open(file.as_deref())
        });
        let store = store.await.map_err(io::Error::other)?.map_err(io::Error::other)?;
        let listener = TcpListener::bind(self.listen.unwrap_or((Ipv4Addr::LOCALHOST, 0).into())).await?;
        let operations = document.operations();
        let components = operations.iter().map(|operation| operation.request.as_str()).chain([UPLOADED]);
        let shapes =
            operations.iter().filter_map(|operation| Some((operation.id.clone(), Shape::of(&document, operation)?)));
        let (shapes, redaction) = (shapes.collect(), Redaction::of(&document));
        let service = Arc::new(Service {
            base_url: format!("http://{}", listener.local_addr()?),
            credentials: self.credentials,
            schemas: Schemas::compile(&document, components).map_err(io::Error::other)?,
            shapes,
            uploaded: Kind::of(&document, UPLOADED),
            document,
            store,
            client: deliver::client(),
            clock: self.clock,
            replies: self.replies,
            strict: self.strict,
            queue_changed: Arc::default(),
            callbacks_changed: Arc::default(),
            redaction,
            remote_callbacks: self.remote_callbacks,
            limits: self.limits,
            log: Mutex::default(),
            faults: Mutex::default(),
        });
        for rule in self.faults {
            service.add_fault(rule).map_err(io::Error::other)?;
        }
        let (stop, stopped) = oneshot::channel();
        let served = tokio::spawn(serve::run(listener, route::router(&service), service.clone(), stopped));
        let weak = Arc::downgrade(&service);
        let tasks = [tokio::spawn(process::run(weak.clone())), tokio::spawn(deliver::run(weak))];
        Ok(Sandbox::running(service, stop, served, tasks))
    }
}
