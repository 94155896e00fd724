//! Answers a request of the service.

use std::sync::Arc;

use axum::{
    body::Body,
    http::{Method, Request, StatusCode, header::CONTENT_LENGTH},
};
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use tokio::time::timeout;

use super::{
    core::{Core, Delivery},
    counts::count,
};
use crate::callback::{CallbackError, Claims};

/// The largest part of the declared length that is reserved before anything has arrived.
const RESERVED: usize = 64 * 1024;

/// Receives a callback. 200 is answered only once it is stored.
pub(super) async fn receive(core: Arc<Core>, request: Request<Body>) -> StatusCode {
    if request.method() != Method::POST {
        return StatusCode::METHOD_NOT_ALLOWED;
    }
    // Forged requests end here, before their body is read.
    let claims = match core.endpoint.claims(request.uri().path()) {
        Ok(claims) => claims,
        Err(error) => return reject(&core, &error),
    };
    let operation = claims.operation.clone();
    let body = match read(&core, &claims, request).await {
        Ok(body) => body,
        Err(status) => return status,
    };
    let (size, counters) = (body.len(), &core.counters);
    let id = claims.id;
    match core.deliver(claims, body).await {
        Delivery::New => {
            tracing::debug!(operation, %id, size, "callback received");
            StatusCode::OK
        }
        Delivery::Duplicate => {
            count(&counters.duplicates);
            tracing::debug!(operation, %id, size, "callback received again");
            StatusCode::OK
        }
        Delivery::Rejected(error) => reject(&core, &error),
        Delivery::NotStored(error) => {
            count(&counters.not_stored);
            tracing::error!(operation, %id, size, %error, "callback not stored; the service is asked to try again");
            StatusCode::SERVICE_UNAVAILABLE
        }
    }
}

fn reject(core: &Core, error: &CallbackError) -> StatusCode {
    let (kind, contradicted) = (error.kind(), matches!(error, CallbackError::Contradicted { .. }));
    count(if contradicted { &core.counters.contradicted } else { &core.counters.rejected });
    match error {
        // Anybody who scans the host causes these.
        CallbackError::Foreign | CallbackError::Malformed => tracing::debug!(kind, %error, "request rejected"),
        _ => tracing::warn!(kind, %error, "callback rejected"),
    }
    StatusCode::NOT_FOUND
}

/// Reads the body within the limits on its size and time.
async fn read(core: &Core, claims: &Claims, request: Request<Body>) -> Result<Bytes, StatusCode> {
    let (limit, operation) = (core.body_limit, claims.operation.as_str());
    let length = request.headers().get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    let too_large = || {
        count(&core.counters.too_large);
        tracing::error!(operation, limit, length, "callback not read: its body is over the limit; raise `body_limit`");
        StatusCode::PAYLOAD_TOO_LARGE
    };
    if length.is_some_and(|length| length > limit) {
        return Err(too_large());
    }
    let mut body = request.into_body();
    let mut bytes = BytesMut::with_capacity(length.unwrap_or(0).min(RESERVED));
    let whole = async {
        while let Some(frame) = body.frame().await {
            let Ok(data) = frame.map_err(|_| false)?.into_data() else { continue };
            if data.len() > limit - bytes.len() {
                return Err(true);
            }
            bytes.extend_from_slice(&data);
        }
        Ok(())
    };
    let problem = match timeout(core.read_timeout, whole).await {
        Ok(Ok(())) => return Ok(bytes.freeze()),
        Ok(Err(true)) => return Err(too_large()),
        Ok(Err(false)) => "the connection broke",
        Err(_) => "it took too long",
    };
    count(&core.counters.incomplete);
    tracing::warn!(operation, timeout = ?core.read_timeout, problem, "callback not read");
    Err(StatusCode::REQUEST_TIMEOUT)
}
