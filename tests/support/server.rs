use std::{
    io,
    net::SocketAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use axum::{
    Router,
    body::{Body, Bytes},
    extract::{ConnectInfo, Request},
    http::{HeaderMap, Response, StatusCode},
};
use tokio::net::TcpListener;

/// A request that the server received.
#[derive(Clone)]
pub struct Seen {
    /// The address of the client; requests on the same connection share it.
    pub peer: SocketAddr,
    pub path: String,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl Seen {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// A server that answers as configured and records its requests.
pub struct MockServer {
    pub url: String,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl MockServer {
    /// Answers each request with the result of `answer`.
    pub async fn start<F, A>(answer: F) -> io::Result<Self>
    where
        F: Fn(Seen) -> A + Clone + Send + Sync + 'static,
        A: Future<Output = Response<Body>> + Send,
    {
        let seen = Arc::<Mutex<Vec<Seen>>>::default();
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}", listener.local_addr()?);
        let recorded = seen.clone();
        let router = Router::new().fallback(move |ConnectInfo(peer): ConnectInfo<SocketAddr>, request: Request| {
            let (answer, recorded) = (answer.clone(), recorded.clone());
            async move {
                let (head, body) = request.into_parts();
                let body = axum::body::to_bytes(body, usize::MAX).await.unwrap_or_default();
                let seen = Seen { peer, path: head.uri.to_string(), headers: head.headers, body };
                recorded.lock().unwrap_or_else(PoisonError::into_inner).push(seen.clone());
                answer(seen).await
            }
        });
        let router = router.into_make_service_with_connect_info::<SocketAddr>();
        tokio::spawn(async { axum::serve(listener, router).await });
        Ok(Self { url, seen })
    }

    /// Answers 200 without content.
    pub async fn accepting() -> io::Result<Self> {
        Self::answering(200, &[], "").await
    }

    /// Gives every request the same answer.
    pub async fn answering(status: u16, headers: &'static [(&str, &str)], body: &'static str) -> io::Result<Self> {
        Self::start(move |_| async move { answer(status, headers, body) }).await
    }

    pub fn seen(&self) -> MutexGuard<'_, Vec<Seen>> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn answer(status: u16, headers: &[(&'static str, &'static str)], body: &'static str) -> Response<Body> {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or_default();
    for (name, value) in headers {
        response.headers_mut().insert(*name, axum::http::HeaderValue::from_static(value));
    }
    response
}
