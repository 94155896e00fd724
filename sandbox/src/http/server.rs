//! Accepts connections up to the limit, and serves the requests on each within the time limits.

use std::{convert::Infallible, sync::Arc, time::Duration};

use axum::{Extension, Router, body::Body, http::Request};
use hyper::{body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::graceful::{GracefulShutdown, Watcher},
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::oneshot,
    task::JoinSet,
    time::{sleep, timeout},
};
use tower::{Layer, ServiceExt};

use super::{
    connection::{Connection, ConnectionHandle},
    places::{Place, Places},
};
use crate::{limits::RECEIVER_TIMEOUT, refusal::Reason, state::State};

/// Serves until `stop` is sent or dropped. Requests in progress may then finish within [`RECEIVER_TIMEOUT`].
pub(crate) async fn run(listener: TcpListener, router: Router, state: Arc<State>, mut stop: oneshot::Receiver<()>) {
    let places = Arc::new(Places::new(state.limits.connections));
    let (graceful, mut connections) = (GracefulShutdown::new(), JoinSet::new());
    loop {
        let stream = tokio::select! {
            accepted = accept(&listener) => accepted,
            _ = &mut stop => break,
        };
        let served = (router.clone(), state.clone(), graceful.watcher());
        match places.free() {
            Some(place) => _ = connections.spawn(serve(stream, place, served)),
            None => {
                let all = places.clone();
                places.spawn_waiting(|number| {
                    connections.spawn(async move {
                        let place = all.wait(&stream).await;
                        all.has_place(number);
                        serve(stream, place, served).await;
                    })
                });
            }
        }
        while connections.try_join_next().is_some() {}
    }
    drop(listener);
    // Connections that take longer are aborted when the set is dropped.
    let _ = timeout(RECEIVER_TIMEOUT, graceful.shutdown()).await;
}

async fn serve(stream: TcpStream, place: Place, (router, state, watcher): (Router, Arc<State>, Watcher)) {
    let mut server = http1::Builder::new();
    // A client may close its sending side after its request, and still gets the reply.
    server.half_close(true).timer(TokioTimer::new()).header_read_timeout(state.limits.read_timeout);
    let connection = Connection::new(stream, state.limits.read_timeout);
    let handle = connection.handle();
    let router = Extension(handle.clone()).layer(router);
    let service = service_fn(move |request: Request<Incoming>| {
        let router = router.clone();
        async move {
            Ok::<_, Infallible>(router.oneshot(request.map(Body::new)).await.unwrap_or_else(|never| match never {}))
        }
    });
    if let Err(error) = watcher.watch(server.serve_connection(TokioIo::new(connection), service)).await {
        log_error(&state, &handle, &error);
    }
    drop(place);
}

async fn accept(listener: &TcpListener) -> TcpStream {
    let mut logged = false;
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return stream,
            Err(error) => {
                if !std::mem::replace(&mut logged, true) {
                    tracing::warn!(%error, "cannot accept connections; retrying");
                }
                // Errors such as too many open files take a moment to pass.
                sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

/// Logs a request whose head is invalid, too large or incomplete, and which therefore reached no route.
fn log_error(state: &State, connection: &ConnectionHandle, error: &hyper::Error) {
    // The timeout of an idle connection is not an error of its client.
    if error.is_parse() || error.is_parse_too_large() || error.is_timeout() && connection.has_unanswered() {
        let reason = Reason::new("", "HTTP", "a valid HTTP/1.1 request", error.to_string());
        state.log_refusal("connection", connection.status(), vec![reason]);
    }
}
