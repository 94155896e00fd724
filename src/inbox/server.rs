//! A server for applications without one.

use std::{convert::Infallible, net::SocketAddr, sync::Arc, time::Duration};

use axum::{body::Body, http::Request, response::IntoResponse};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    task::{JoinHandle, JoinSet},
    time::sleep,
};

use super::{core::Core, receive::receive};

/// How many connections are served at the same time; further ones wait.
const CONNECTIONS: usize = 256;

/// The task that serves. It is aborted, with its connections, when this is dropped.
pub(super) struct Server {
    pub(super) address: SocketAddr,
    task: JoinHandle<()>,
}

impl Server {
    pub(super) fn start(listener: TcpListener, address: SocketAddr, core: Arc<Core>) -> Self {
        Self { address, task: tokio::spawn(serve(listener, core)) }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(listener: TcpListener, core: Arc<Core>) {
    let permits = Arc::new(Semaphore::new(CONNECTIONS));
    let mut connections = JoinSet::new();
    loop {
        // The semaphore is never closed.
        let permit = permits.clone().acquire_owned().await.ok();
        let stream = accept(&listener).await;
        let core = core.clone();
        connections.spawn(async move {
            connection(stream, core).await;
            drop(permit);
        });
        while connections.try_join_next().is_some() {}
    }
}

async fn accept(listener: &TcpListener) -> TcpStream {
    let mut logged = false;
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return stream,
            Err(error) => {
                if !std::mem::replace(&mut logged, true) {
                    tracing::warn!(%error, "cannot accept connections for callbacks; retrying");
                }
                // Errors such as too many open files take a moment to pass.
                sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

async fn connection(stream: TcpStream, core: Arc<Core>) {
    let mut server = http1::Builder::new();
    // A slow head is cut off here, a slow body in `receive`.
    server.half_close(true).timer(TokioTimer::new()).header_read_timeout(core.read_timeout);
    let service = service_fn(move |request: Request<Incoming>| {
        let core = core.clone();
        async move { Ok::<_, Infallible>(receive(core, request.map(Body::new)).await.into_response()) }
    });
    if let Err(error) = server.serve_connection(TokioIo::new(stream), service).await {
        tracing::debug!(%error, "a connection for callbacks ended");
    }
}
