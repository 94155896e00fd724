use std::{convert::Infallible, sync::Arc};

use axum::{
    body::Bytes,
    extract::{FromRequest, Request},
};
use tokio::time::timeout;

use crate::{refusal::Reason, state::State};

/// The body of a request, received within the limits on its size and time; or why it was not received.
pub(crate) struct ReceivedBody(pub(crate) Result<Bytes, Vec<Reason>>);

impl FromRequest<Arc<State>> for ReceivedBody {
    type Rejection = Infallible;

    async fn from_request(request: Request, state: &Arc<State>) -> Result<Self, Infallible> {
        let read_timeout = state.limits.read_timeout;
        let got = match timeout(read_timeout, Bytes::from_request(request, state)).await {
            Ok(Ok(body)) => return Ok(Self(Ok(body))),
            Ok(Err(rejection)) => rejection.body_text(),
            Err(_) => format!("an incomplete one after {read_timeout:?}"),
        };
        Ok(Self(Err(vec![Reason::new("", "body", "a complete body within the limits", got)])))
    }
}
