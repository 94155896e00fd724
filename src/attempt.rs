//! One request on its way, through the hooks of the generated client.

use std::{
    convert::Infallible,
    fmt,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
};

use bytes::Bytes;
use http_body::{Frame, SizeHint};
use progenitor_client::{ByteStream, ClientHooks, OperationInfo, ResponseValue};
use reqwest::header::USER_AGENT;
use tokio::time::{Instant, timeout_at};

use crate::{
    Error, Reply, Request,
    connector::Shared,
    error::{Cause, DeadlineExpired},
    generated::Client,
    outcome::{self, End},
};

/// What the hooks know about the request that is passing through them.
pub(crate) struct Attempt {
    shared: Arc<Shared>,
    header_key: Option<&'static str>,
    departed: Departed,
    /// Whether the answer is that of another address. Only a client of the user's own can follow a redirect.
    redirected: AtomicBool,
}

/// Whether the transport began to take the body, in this attempt or one before: then no one can say that nothing
/// arrived.
#[derive(Clone, Default)]
pub(crate) struct Departed(Arc<AtomicBool>);

impl Departed {
    fn set(&self) {
        self.0.store(true, Ordering::Release);
    }

    fn get(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// Sends a request once and reads its answer.
pub(crate) async fn send<R: Request>(
    shared: &Arc<Shared>,
    request: &R,
    until: Option<Instant>,
    departed: &Departed,
) -> Result<Reply, Error> {
    let operation = R::OPERATION.id;
    let attempt = Arc::new(Attempt {
        shared: shared.clone(),
        header_key: R::OPERATION.header_key,
        departed: departed.clone(),
        redirected: AtomicBool::new(false),
    });
    let client = Client::new_with_client(&shared.base_url, shared.client.clone(), attempt.clone());
    let Some(answer) = before(until, request.dispatch(&client)).await else {
        return Err(outcome::of_deadline(operation, departed.get()));
    };
    use progenitor_client::Error as Failure;
    let answer = match answer {
        Ok(answer) | Err(Failure::ErrorResponse(answer)) => answer,
        Err(Failure::CommunicationError(error)) => {
            return Err(outcome::of_failure(operation, departed.get(), Box::new(error.without_url())));
        }
        Err(Failure::Custom(problem) | Failure::InvalidRequest(problem)) => {
            return Err(Error::invalid(format!("{operation}: {problem}")));
        }
        // The document's one reply of any type leads to none of the others.
        Err(_) => {
            return Err(outcome::of_failure(
                operation,
                departed.get(),
                "the generated client did not understand the answer".into(),
            ));
        }
    };
    let (reply, end) = read(operation, answer, shared.reply_limit, until).await;
    if attempt.redirected.load(Ordering::Acquire) {
        let source = "a redirect was followed; set a client with `redirect::Policy::none()`".into();
        return Err(Error::OutcomeUnknown { operation, source, reply: Some(Box::new(reply)) });
    }
    outcome::of_reply(reply, end)
}

async fn read(
    operation: &'static str,
    answer: ResponseValue<ByteStream>,
    limit: usize,
    until: Option<Instant>,
) -> (Reply, End) {
    let (status, headers) = (answer.status(), answer.headers().clone());
    let mut stream = answer.into_inner_stream();
    let mut body = Vec::new();
    let end = loop {
        match before(until, std::future::poll_fn(|cx| stream.as_mut().poll_next(cx))).await {
            Some(None) => break End::Complete,
            Some(Some(Ok(chunk))) if chunk.len() > limit - body.len() => {
                body.extend_from_slice(&chunk[..limit - body.len()]);
                break End::OverLimit(limit);
            }
            Some(Some(Ok(chunk))) => body.extend_from_slice(&chunk),
            Some(Some(Err(error))) => break End::Broken(Box::new(error.without_url())),
            None => break End::Broken(Box::new(DeadlineExpired) as Cause),
        }
    };
    let complete = matches!(end, End::Complete);
    (Reply { operation, status, headers, body: body.into(), complete }, end)
}

/// `None` when the deadline came first; what is late already is not begun.
async fn before<T>(until: Option<Instant>, future: impl Future<Output = T>) -> Option<T> {
    match until {
        Some(until) if until <= Instant::now() => None,
        Some(until) => timeout_at(until, future).await.ok(),
        None => Some(future.await),
    }
}

impl ClientHooks<Arc<Attempt>> for Client {
    async fn pre<E>(
        &self,
        request: &mut reqwest::Request,
        _: &OperationInfo,
    ) -> Result<(), progenitor_client::Error<E>> {
        // The generator adds it; the interface does not know it.
        request.headers_mut().remove("api-version");
        let attempt = &self.inner;
        request.headers_mut().insert(USER_AGENT, attempt.shared.user_agent.clone());
        let credentials = &attempt.shared.credentials;
        let body = credentials.attach(request, attempt.header_key).map_err(progenitor_client::Error::Custom)?;
        let watched = Watched { bytes: Some(body), departed: attempt.departed.clone() };
        *request.body_mut() = Some(reqwest::Body::wrap(watched));
        Ok(())
    }

    async fn exec(&self, request: reqwest::Request, _: &OperationInfo) -> reqwest::Result<reqwest::Response> {
        let address = request.url().clone();
        let response = self.client.execute(request).await?;
        self.inner.redirected.store(*response.url() != address, Ordering::Release);
        Ok(response)
    }
}

impl fmt::Debug for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Attempt").finish_non_exhaustive()
    }
}

/// A body that remembers whether the transport asked for it. It cannot be cloned, so nothing below can replay it.
struct Watched {
    bytes: Option<Bytes>,
    departed: Departed,
}

impl http_body::Body for Watched {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.departed.set();
        Poll::Ready(self.bytes.take().map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        self.bytes.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.bytes.as_ref().map_or(0, |bytes| bytes.len() as u64))
    }
}
