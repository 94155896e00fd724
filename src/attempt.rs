//! Sends a request once, through the hooks of the generated client.

use std::{fmt, sync::Arc};

use progenitor_client::{ByteStream, ClientHooks, OperationInfo, ResponseValue};
use reqwest::header::{ACCEPT_ENCODING, HeaderValue, USER_AGENT};
use tokio::time::{Instant, timeout_at};

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
    let Some(response) = until(deadline, request.dispatch(&client)).await else {
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
    let (reply, end) = read(operation, response, shared.reply_limit, deadline).await;
    classify::reply(reply, end)
}

/// Reads the body up to the limit.
async fn read(
    operation: &'static Operation,
    response: ResponseValue<ByteStream>,
    limit: usize,
    deadline: Option<Instant>,
) -> (Reply, BodyEnd) {
    let (status, headers) = (response.status(), response.headers().clone());
    let mut stream = response.into_inner_stream();
    let mut body = Vec::new();
    let end = loop {
        match until(deadline, std::future::poll_fn(|cx| stream.as_mut().poll_next(cx))).await {
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

/// Runs the future until the deadline; `None` if that came first. Past the deadline the future is not polled at all.
async fn until<T>(deadline: Option<Instant>, future: impl Future<Output = T>) -> Option<T> {
    match deadline {
        Some(deadline) if deadline <= Instant::now() => None,
        Some(deadline) => timeout_at(deadline, future).await.ok(),
        None => Some(future.await),
    }
}

impl ClientHooks<Arc<Attempt>> for Client {
    async fn pre<E>(
        &self,
        request: &mut reqwest::Request,
        _: &OperationInfo,
    ) -> Result<(), progenitor_client::Error<E>> {
        // The generator adds this header; the interface does not have it.
        request.headers_mut().remove("api-version");
        let attempt = &self.inner;
        request.headers_mut().insert(USER_AGENT, attempt.shared.user_agent.clone());
        // A reply that is compressed could not be checked for `"error": true`.
        request.headers_mut().insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        let credentials = &attempt.shared.credentials;
        let body = credentials.attach(request, attempt.header_key).map_err(progenitor_client::Error::Custom)?;
        *request.body_mut() = Some(reqwest::Body::wrap(TrackedBody::new(body, attempt.state.clone())));
        Ok(())
    }
}

impl fmt::Debug for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Attempt").finish_non_exhaustive()
    }
}
