use std::{convert::Infallible, sync::Arc};

use axum::{
    body::Bytes,
    extract::{FromRequest, Request},
};
use tokio::time::timeout;

use crate::{Reason, service::Service};

/// The body of a request, within the limits on its size and on the time that it takes, or why it was not read.
pub(crate) struct Received(pub(crate) Result<Bytes, Vec<Reason>>);

impl FromRequest<Arc<Service>> for Received {
    type Rejection = Infallible;

    async fn from_request(request: Request, service: &Arc<Service>) -> Result<Self, Infallible> {
        let read_time = service.limits.read_time;
        let got = match timeout(read_time, Bytes::from_request(request, service)).await {
            Ok(Ok(body)) => return Ok(Self(Ok(body))),
            Ok(Err(rejection)) => rejection.body_text(),
            Err(_) => format!("one that had not ended after {read_time:?}"),
        };
        Ok(Self(Err(vec![Reason::new("", "body", "a body that can be read", got)])))
    }
}
