use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use business_data_connector::DOCUMENT;
use business_data_connector_document::Document;
use tokio::{net::TcpListener, sync::oneshot, task::JoinHandle};

use crate::{
    Record, Refusal,
    callback::{self, Client},
    credentials::Credentials,
    effect::UPLOADED,
    route,
    schemas::Schemas,
    store::Store,
};

/// A running sandbox. It stops when it is dropped.
pub struct Sandbox {
    service: Arc<Service>,
    stop: Option<oneshot::Sender<()>>,
    served: JoinHandle<io::Result<()>>,
}

/// What every request needs.
pub(crate) struct Service {
    pub(crate) base_url: String,
    pub(crate) credentials: Credentials,
    pub(crate) schemas: Schemas,
    pub(crate) client: Client,
    store: Mutex<Store>,
}

impl Service {
    pub(crate) fn store(&self) -> MutexGuard<'_, Store> {
        // Each change is whole, so what a panic elsewhere left behind is still right.
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Sets up a [`Sandbox`].
#[derive(Clone, Default)]
#[must_use]
pub struct SandboxBuilder {
    listen: Option<SocketAddr>,
    credentials: Credentials,
    document: Option<String>,
}

impl SandboxBuilder {
    /// The address to listen on: a free port of the loopback interface, unless set.
    pub fn listen(mut self, address: SocketAddr) -> Self {
        self.listen = Some(address);
        self
    }

    /// The pair that is accepted, in place of the demo pair.
    pub fn credentials(mut self, apikey: impl Into<String>, appid: impl Into<String>) -> Self {
        self.credentials.apikey = apikey.into();
        self.credentials.appid = appid.into();
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

    /// Starts the sandbox on the current Tokio runtime; it answers when this returns.
    ///
    /// # Errors
    /// When the address cannot be listened on, or the document not be served.
    pub async fn start(self) -> io::Result<Sandbox> {
        let document = Document::parse(self.document.as_deref().unwrap_or(DOCUMENT)).map_err(io::Error::other)?;
        let listener = TcpListener::bind(self.listen.unwrap_or((Ipv4Addr::LOCALHOST, 0).into())).await?;
        let components = document.operations().iter().map(|operation| operation.request.as_str()).chain([UPLOADED]);
        let service = Arc::new(Service {
            base_url: format!("http://{}", listener.local_addr()?),
            credentials: self.credentials,
            schemas: Schemas::compile(&document, components).map_err(io::Error::other)?,
            client: callback::client(),
            store: Mutex::default(),
        });
        let router = route::router(&document, service.clone());
        let (stop, stopped) = oneshot::channel::<()>();
        let serve = axum::serve(listener, router).with_graceful_shutdown(async {
            // Told to stop, or dropped: either ends it.
            let _ = stopped.await;
        });
        Ok(Sandbox { service, stop: Some(stop), served: tokio::spawn(async { serve.await }) })
    }
}

impl Sandbox {
    /// Starts with the demo credentials and the demo business, on a free port of the loopback interface.
    ///
    /// # Errors
    /// As [`SandboxBuilder::start`].
    pub async fn start() -> io::Result<Self> {
        Self::builder().start().await
    }

    /// Sets up another.
    pub fn builder() -> SandboxBuilder {
        SandboxBuilder::default()
    }

    /// Its address, as the connector's base URL.
    pub fn base_url(&self) -> &str {
        &self.service.base_url
    }

    /// The records that are held for a business, in the order in which they were pushed.
    pub fn records(&self, uid: &str) -> Vec<Record> {
        self.service.store().businesses.get(uid).map(|business| business.records.clone()).unwrap_or_default()
    }

    /// Why requests were refused, in their order.
    pub fn refusals(&self) -> Vec<Refusal> {
        self.service.store().refusals.clone()
    }

    /// Stops, and waits until every request that was taken is answered.
    ///
    /// # Errors
    /// When serving failed.
    pub async fn stop(mut self) -> io::Result<()> {
        self.stop.take();
        (&mut self.served).await.map_err(io::Error::other)?
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        self.stop.take();
    }
}
