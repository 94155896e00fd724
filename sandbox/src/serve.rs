//! Takes connections, as many as there may be, and serves what comes over each, as long as its sender keeps going.

use std::{convert::Infallible, sync::Arc, time::Duration};

use axum::{
    Extension, Router,
    body::Body,
    http::{Request, StatusCode},
};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::GracefulShutdown,
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore, oneshot},
    task::JoinSet,
    time::{sleep, timeout},
};
use tower::{Layer, ServiceExt};

use crate::{
    Reason,
    connection::{Connection, Line},
    deliver::PATIENCE,
    service::Service,
};

/// What senders are held to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    /// How many connections are served at once; more wait.
    pub(crate) connections: usize,
    /// How long the head of a request may take, and how long its body.
    pub(crate) read_time: Duration,
    /// How many bytes a body may have.
    pub(crate) body: usize,
}

impl Default for Limits {
    fn default() -> Self {
        // 10,000 records take about 2 MB.
        Self { connections: 1024, read_time: Duration::from_secs(30), body: 16 * 1024 * 1024 }
    }
}

/// Serves until it is told to stop, or whoever could tell is gone. What is under way then may finish, for a while.
pub(crate) async fn run(
    listener: TcpListener,
    router: Router,
    service: Arc<Service>,
    mut stopped: oneshot::Receiver<()>,
) {
    let mut server = http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(service.limits.read_time);
    let places = Arc::new(Semaphore::new(service.limits.connections));
    let (graceful, mut connections) = (GracefulShutdown::new(), JoinSet::new());
    loop {
        let (stream, place) = tokio::select! {
            accepted = accept(&listener, &places) => accepted,
            _ = &mut stopped => break,
        };
        let connection = Connection::over(stream);
        let line = connection.line();
        let router = Extension(line.clone()).layer(router.clone());
        let answer = service_fn(move |request: Request<Incoming>| {
            let router = router.clone();
            async move {
                Ok::<_, Infallible>(router.oneshot(request.map(Body::new)).await.unwrap_or_else(|never| match never {}))
            }
        });
        let served = graceful.watch(server.serve_connection(TokioIo::new(connection), answer));
        let service = service.clone();
        connections.spawn(async move {
            if let Err(error) = served.await {
                note(&service, &line, &error);
            }
            drop(place);
        });
        while connections.try_join_next().is_some() {}
    }
    drop(listener);
    // What takes longer ends with the set.
    let _ = timeout(PATIENCE, graceful.shutdown()).await;
}

async fn accept(listener: &TcpListener, places: &Arc<Semaphore>) -> (TcpStream, Option<OwnedSemaphorePermit>) {
    // The semaphore is never closed.
    let place = places.clone().acquire_owned().await.ok();
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return (stream, place),
            Err(error) => {
                tracing::warn!(%error, "no connection accepted");
                // Such as too many open files, which takes a moment to pass.
                sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

/// A head that is none, or too large, or that does not end, reaches no route.
fn note(service: &Service, line: &Line, error: &hyper::Error) {
    let status = if error.is_parse_too_large() {
        Some(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE)
    } else {
        error.is_parse().then_some(StatusCode::BAD_REQUEST)
    };
    // A connection that nothing is sent over is closed after a while, which is nobody's fault.
    if status.is_some() || error.is_timeout() && line.has_unanswered() {
        let reason = Reason::new("", "HTTP", "a request of HTTP/1.1 that can be read", error.to_string());
        service.refuse_elsewhere("connection", status, vec![reason]);
    }
}
