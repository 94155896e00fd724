//! The body of a request, received within the limits on its size and time.

use std::{convert::Infallible, sync::Arc};

use axum::{
    body::{Body, Bytes},
    extract::{FromRequest, Request},
    http::{
        HeaderMap,
        header::{CONTENT_LENGTH, CONTENT_TYPE},
    },
};
use http_body_util::BodyExt;
use tokio::time::timeout;

use crate::{limits::Limits, refusal::Reason, state::State};

/// The body of a request; or why it was not received.
pub(crate) struct ReceivedBody(pub(crate) Result<Bytes, Vec<Reason>>);

impl FromRequest<Arc<State>> for ReceivedBody {
    type Rejection = Infallible;

    async fn from_request(request: Request, state: &Arc<State>) -> Result<Self, Infallible> {
        let (head, body) = request.into_parts();
        Ok(Self(receive(&head.headers, body, &state.limits).await))
    }
}

/// Receives a body.
///
/// # Errors
/// Why it was not received: it is too large, takes too long, or its sender stopped sending.
pub(crate) async fn receive(headers: &HeaderMap, body: Body, limits: &Limits) -> Result<Bytes, Vec<Reason>> {
    let announced = headers.get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if let Some(length) = announced.filter(|length| *length > limits.body as u64) {
        discard(body, limits).await;
        return Err(vec![too_large(limits.body, format!("{length} bytes"))]);
    }
    let received = match timeout(limits.read_timeout, collect(body, announced, limits.body)).await {
        Ok(received) => received,
        Err(_) => Err(incomplete(format!("an incomplete one after {:?}", limits.read_timeout))),
    };
    received.map_err(|reason| vec![reason])
}

async fn collect(mut body: Body, announced: Option<u64>, limit: usize) -> Result<Bytes, Reason> {
    /// What is reserved at once, whatever is announced.
    const MAX_RESERVED: usize = 1024 * 1024;

    let announced = announced.and_then(|length| usize::try_from(length).ok()).unwrap_or_default();
    let mut received = Vec::with_capacity(announced.min(MAX_RESERVED));
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(|error| incomplete(error.to_string()))?.into_data() else { continue };
        if data.len() > limit - received.len() {
            return Err(too_large(limit, format!("more than {limit} bytes")));
        }
        received.extend_from_slice(&data);
    }
    Ok(received.into())
}

fn too_large(limit: usize, got: String) -> Reason {
    Reason::new("", "body", format!("a body of at most {limit} bytes, which the option --body-limit changes"), got)
}

fn incomplete(got: String) -> Reason {
    Reason::new("", "body", "a complete body within the limits", got)
}

/// Reads a body that is not needed and keeps nothing of it, since many clients read a reply only once they have sent
/// everything. A body that is longer than the limit is not read to its end.
pub(crate) async fn discard(mut body: Body, limits: &Limits) {
    let read = async {
        let mut left = limits.body.saturating_mul(2);
        while let Some(Ok(frame)) = body.frame().await {
            match left.checked_sub(frame.data_ref().map_or(0, Bytes::len)) {
                Some(less) => left = less,
                None => return,
            }
        }
    };
    // Who is still sending then gets the reply meanwhile.
    let _ = timeout(limits.read_timeout, read).await;
}

/// Whether the content type is `application/json`, with whatever parameters.
pub(crate) fn is_json(headers: &HeaderMap) -> bool {
    media_type(headers).eq_ignore_ascii_case("application/json")
}

/// The content type without its parameters, which may hold anything; empty for none.
pub(crate) fn media_type(headers: &HeaderMap) -> &str {
    let content_type = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    content_type.split(';').next().unwrap_or_default().trim()
}
