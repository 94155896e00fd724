//! Sends a request once, through the hooks of the generated client.

use std::{
    fmt,
    future::poll_fn,
    pin::{Pin, pin},
    sync::Arc,
    task::Poll,
};

use bytes::Bytes;
use http_body::Body as _;
use progenitor_client::{ByteStream, ClientHooks, OperationInfo, ResponseValue};
use reqwest::header::HeaderName;
use tokio::time::{Instant, Sleep, sleep_until};

use crate::{
    Error, Operation, Reply, Request,
    body::{CancelOnDrop, SendState, TrackedBody},
    classify::{self, BodyEnd},
    error::{Cause, TimedOut},
    generated::Client,
    shared::Shared,
};

/// What the hooks know about the request that passes through them.
pub(crate) struct Attempt {
    shared: Arc<Shared>,
    header_key: Option<&'static str>,
    state: SendState,
}

/// Sends a request once and reads the reply.
pub(crate) async fn send<R: Request>(
    shared: &Arc<Shared>,
    request: &R,
    deadline: Option<Instant>,
) -> Result<Reply, Error> {
    let operation = R::OPERATION;
    #[cfg(feature = "testing")]
    if let Some(canned) = &shared.canned {
        let body = serde_json::to_string(request).map_err(|e| Error::invalid(format!("{}: {e}", operation.id)))?;
        return canned.answer(operation, body);
    }
    let state = SendState::default();
    let _guard = CancelOnDrop(state.clone());
    let attempt = Attempt { shared: shared.clone(), header_key: R::OPERATION.header_key, state: state.clone() };
    let client = Client::new_with_client(&shared.base_url, shared.client.clone(), Arc::new(attempt));
    // One timer for the whole attempt.
    let mut timer = pin!(deadline.map(sleep_until));
    let mut timer = timer.as_mut().as_pin_mut();
    let Some(response) = in_time(&mut timer, pin!(request.dispatch(&client))).await else {
        return Err(classify::failure(operation, state.cancel(), Box::new(TimedOut)));
    };
    use progenitor_client::Error as Failure;
    let response = match response {
        Ok(response) | Err(Failure::ErrorResponse(response)) => response,
        Err(Failure::CommunicationError(error)) if error.is_builder() => {
            let reason = error.without_url();
            return Err(Error::invalid(format!("{}: the HTTP client rejected the request: {reason}", operation.id)));
        }
        Err(Failure::CommunicationError(error)) => {
            return Err(classify::failure(operation, state.cancel(), Box::new(error.without_url())));
        }
        Err(Failure::Custom(problem) | Failure::InvalidRequest(problem)) => {
            return Err(Error::invalid(format!("{}: {problem}", operation.id)));
        }
        // The document given to the generator has one reply of any type, which leads to none of the others.
        Err(_) => {
            let cause = "the generated client could not interpret the reply".into();
            return Err(classify::failure(operation, state.cancel(), cause));
        }
    };
    let (reply, end) = read(operation, response, shared.reply_limit, &mut timer).await;
    classify::reply(reply, end)
}

/// Reads the body up to the limit.
async fn read(
    operation: &'static Operation,
    response: ResponseValue<ByteStream>,
    limit: usize,
    timer: &mut Timer<'_>,
) -> (Reply, BodyEnd) {
    let (status, headers) = (response.status(), response.headers().clone());
    let mut stream = response.into_inner_stream();
    let mut body = Vec::new();
    let end = loop {
        match in_time(timer, pin!(poll_fn(|context| stream.as_mut().poll_next(context)))).await {
            Some(None) => break BodyEnd::Complete,
            Some(Some(Ok(chunk))) if chunk.len() > limit - body.len() => {
                body.extend_from_slice(&chunk[..limit - body.len()]);
                break BodyEnd::OverLimit(limit);
            }
            Some(Some(Ok(chunk))) => body.extend_from_slice(&chunk),
            Some(Some(Err(error))) => break BodyEnd::Broken(Box::new(error.without_url())),
            None => break BodyEnd::Broken(Box::new(TimedOut) as Cause),
        }
    };
    let complete = matches!(end, BodyEnd::Complete);
    (Reply { operation, status, headers, body: body.into(), complete }, end)
}

/// Completes at the deadline of an attempt, if it has one.
type Timer<'a> = Option<Pin<&'a mut Sleep>>;

/// Runs the future until the timer completes; `None` if that came first. Past the deadline the future is not polled at
/// all.
async fn in_time<T>(timer: &mut Timer<'_>, mut future: Pin<&mut impl Future<Output = T>>) -> Option<T> {
    let Some(timer) = timer else { return Some(future.await) };
    if timer.deadline() <= Instant::now() {
        return None;
    }
    poll_fn(|context| match future.as_mut().poll(context) {
        Poll::Ready(value) => Poll::Ready(Some(value)),
        Poll::Pending => timer.as_mut().poll(context).map(|()| None),
    })
    .await
}

impl ClientHooks<Arc<Attempt>> for Client {
    async fn pre<E>(
        &self,
        request: &mut reqwest::Request,
        _: &OperationInfo,
    ) -> Result<(), progenitor_client::Error<E>> {
        self.inner.complete(request).await.map_err(progenitor_client::Error::Custom)
    }
}

impl Attempt {
    /// Gives the request of the generated client its headers and credentials.
    ///
    /// # Errors
    /// A message that says what is missing.
    async fn complete(&self, request: &mut reqwest::Request) -> Result<(), String> {
        let Shared { headers, credentials, .. } = &*self.shared;
        // The generator adds this header; the interface does not have it.
        request.headers_mut().remove("api-version");
        for (name, value) in headers {
            request.headers_mut().insert(name, value.clone());
        }
        if let Some(header) = self.header_key {
            let name = HeaderName::try_from(header).map_err(|_| format!("{header} is not a valid header name"))?;
            request.headers_mut().insert(name, credentials.header_key().ok_or("a header key is required")?.clone());
        }
        let object = json_body(request).await.ok_or("the request has no body")?;
        let parts = credentials.added_to(object).ok_or("the body is not a JSON object")?;
        *request.body_mut() = Some(reqwest::Body::wrap(TrackedBody::new(parts, self.state.clone())));
        Ok(())
    }
}

/// Takes the body, which the generated client makes in one piece.
async fn json_body(request: &mut reqwest::Request) -> Option<Bytes> {
    let mut body = request.body_mut().take()?;
    let frame = poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await?;
    frame.ok()?.into_data().ok().filter(|_| body.is_end_stream())
}

impl fmt::Debug for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Attempt").finish_non_exhaustive()
    }
}
