//! One request on its way, through the hooks of the generated client.

use std::{
    fmt,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU8, Ordering},
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
    classify::{self, End},
};

/// What the hooks know about the request that is passing through them.
pub(crate) struct Attempt {
    shared: Arc<Shared>,
    header_key: Option<&'static str>,
    departure: Departure,
}

/// Whether the transport began to take the body, after which no one can say that nothing arrived. It is decided once: a
/// request that was given up before it left can no longer leave, whichever thread it is on.
#[derive(Clone, Default)]
struct Departure(Arc<AtomicU8>);

impl Departure {
    const OPEN: u8 = 0;
    const DEPARTED: u8 = 1;
    const GIVEN_UP: u8 = 2;

    /// Whether the request may leave now.
    fn depart(&self) -> bool {
        self.decide(Self::DEPARTED) == Self::DEPARTED
    }

    /// Gives the request up if it has not left. Whether it had.
    fn give_up(&self) -> bool {
        self.decide(Self::GIVEN_UP) == Self::DEPARTED
    }

    fn decide(&self, wanted: u8) -> u8 {
        match self.0.compare_exchange(Self::OPEN, wanted, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => wanted,
            Err(decided) => decided,
        }
    }
}

/// Gives a request up when nobody waits for it any more.
struct GivenUpOnDrop(Departure);

impl Drop for GivenUpOnDrop {
    fn drop(&mut self) {
        self.0.give_up();
    }
}

/// Sends a request once and reads its answer.
pub(crate) async fn send<R: Request>(
    shared: &Arc<Shared>,
    request: &R,
    until: Option<Instant>,
) -> Result<Reply, Error> {
    let operation = R::OPERATION.id;
    let departure = Departure::default();
    let _guard = GivenUpOnDrop(departure.clone());
    let attempt = Attempt { shared: shared.clone(), header_key: R::OPERATION.header_key, departure: departure.clone() };
    let client = Client::new_with_client(&shared.base_url, shared.client.clone(), Arc::new(attempt));
    let Some(answer) = before(until, request.dispatch(&client)).await else {
        return Err(classify::of_deadline(operation, departure.give_up()));
    };
    use progenitor_client::Error as Failure;
    let answer = match answer {
        Ok(answer) | Err(Failure::ErrorResponse(answer)) => answer,
        Err(Failure::CommunicationError(error)) if error.is_builder() => {
            return Err(Error::invalid(format!(
                "{operation}: the client refuses the request: {}",
                error.without_url()
            )));
        }
        Err(Failure::CommunicationError(error)) => {
            return Err(classify::of_failure(operation, departure.give_up(), Box::new(error.without_url())));
        }
        Err(Failure::Custom(problem) | Failure::InvalidRequest(problem)) => {
            return Err(Error::invalid(format!("{operation}: {problem}")));
        }
        // The document's one reply of any type leads to none of the others.
        Err(_) => {
            return Err(classify::of_failure(
                operation,
                departure.give_up(),
                "the generated client did not understand the answer".into(),
            ));
        }
    };
    let (reply, end) = read(operation, answer, shared.reply_limit, until).await;
    classify::of_reply(reply, end)
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
        let watched = Watched { bytes: Some(body), departure: attempt.departure.clone() };
        *request.body_mut() = Some(reqwest::Body::wrap(watched));
        Ok(())
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
    departure: Departure,
}

impl http_body::Body for Watched {
    type Data = Bytes;
    type Error = GivenUp;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, GivenUp>>> {
        Poll::Ready(self.bytes.take().map(|bytes| match self.departure.depart() {
            true => Ok(Frame::data(bytes)),
            false => Err(GivenUp),
        }))
    }

    fn is_end_stream(&self) -> bool {
        self.bytes.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.bytes.as_ref().map_or(0, |bytes| bytes.len() as u64))
    }
}

/// Why the transport gets no body.
#[derive(Debug)]
struct GivenUp;

impl fmt::Display for GivenUp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the request was given up before it left")
    }
}

impl std::error::Error for GivenUp {}
