//! Takes connections, as many as there may be, and serves what comes over each, as long as its sender keeps going.

use std::{convert::Infallible, sync::Arc, time::Duration};

use axum::{Extension, Router, body::Body, http::Request};
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
    /// How long the head of a request may take, how long its body, and how long an answer may wait for its reader.
    pub(crate) read_time: Duration,
    /// How many bytes a body may have.
    pub(crate) body: usize,
}

impl Default for Limits {
    fn default() -> Self {
        // Fewer connections than a process may have files open by default; 10,000 records take about 2 MB.
        Self { connections: 512, read_time: Duration::from_secs(30), body: 16 * 1024 * 1024 }
    }
}

impl Limits {
    /// # Errors
    /// A sentence, when nothing could be served within them.
    pub(crate) fn check(&self) -> Result<(), String> {
        const DAY: Duration = Duration::from_secs(24 * 60 * 60);

        if !(1..=Semaphore::MAX_PERMITS).contains(&self.connections) {
            return Err(format!("there must be 1 to {} connections", Semaphore::MAX_PERMITS));
        }
        if self.read_time.is_zero() || self.read_time > DAY {
            return Err("the time to read must be more than none, and a day at most".to_owned());
        }
        if self.body == 0 {
            return Err("a body must be allowed a byte at least".to_owned());
        }
        Ok(())
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
    // Whoever has sent all may close that side, and is answered.
    server.half_close(true).timer(TokioTimer::new()).header_read_timeout(service.limits.read_time);
    let places = Arc::new(Semaphore::new(service.limits.connections));
    let (graceful, mut connections) = (GracefulShutdown::new(), JoinSet::new());
    loop {
        let (stream, place) = tokio::select! {
            accepted = accept(&listener, &places) => accepted,
            _ = &mut stopped => break,
        };
        let connection = Connection::over(stream, service.limits.read_time);
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
    let mut told = false;
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return (stream, place),
            Err(error) => {
                if !std::mem::replace(&mut told, true) {
                    tracing::warn!(%error, "no connection accepted, and tried again");
                }
                // Such as too many open files, which takes a moment to pass.
                sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

/// A head that is none, or too large, or that does not end, reaches no route.
fn note(service: &Service, line: &Line, error: &hyper::Error) {
    // A connection that nothing is sent over is closed after a while, which is nobody's fault.
    if error.is_parse() || error.is_parse_too_large() || error.is_timeout() && line.has_unanswered() {
        let reason = Reason::new("", "HTTP", "a request of HTTP/1.1 that can be read", error.to_string());
        service.refuse_elsewhere("connection", line.status(), vec![reason]);
    }
}
