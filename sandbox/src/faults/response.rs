//! What a fault makes of a reply.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use axum::{
    body::{Body, Bytes},
    http::{Response, StatusCode, header},
    response::IntoResponse,
};

use super::fault::Fault;

impl Fault {
    /// The reply that is sent without handling the request; `None` for a fault that lets the request through.
    pub(crate) fn replacement(self) -> Option<Response<Body>> {
        let with_retry_after =
            |status: StatusCode, seconds: u64| (status, [(header::RETRY_AFTER, seconds.to_string())]).into_response();
        Some(match self {
            Self::TooManyRequests(seconds) => with_retry_after(StatusCode::TOO_MANY_REQUESTS, seconds),
            Self::Unavailable(seconds) => with_retry_after(StatusCode::SERVICE_UNAVAILABLE, seconds),
            Self::Status(status) => server_error(status),
            Self::ErrorTrue => {
                let body = r#"{"error":true,"message":"a fault injected by the sandbox"}"#;
                ([(header::CONTENT_TYPE, "application/json")], body).into_response()
            }
            Self::Unauthorized => StatusCode::UNAUTHORIZED.into_response(),
            Self::ResetBefore => StatusCode::OK.into_response(),
            _ => return None,
        })
    }

    /// Whether the connection is reset instead of a reply being sent.
    pub(crate) fn resets(self) -> bool {
        matches!(self, Self::ResetBefore | Self::ResetAfter)
    }

    pub(crate) fn latency(self) -> Option<Duration> {
        match self {
            Self::Latency(millis) => Some(Duration::from_millis(millis)),
            _ => None,
        }
    }

    /// The degraded reply that a client gets instead of the regular one to an accepted request.
    pub(crate) fn degraded(self, reply: Response<Body>) -> Response<Body> {
        match self {
            Self::StatusAfter(status) => server_error(status),
            Self::Cut => Response::new(Body::new(CutBody::default())),
            _ => reply,
        }
    }
}

/// A service's 500 without content, or a gateway's error with HTML.
fn server_error(status: u16) -> Response<Body> {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_GATEWAY);
    if status == StatusCode::INTERNAL_SERVER_ERROR {
        return status.into_response();
    }
    let body = format!("<html><head><title>{status}</title></head><body><h1>{status}</h1></body></html>");
    (status, [(header::CONTENT_TYPE, "text/html")], body).into_response()
}

/// A body that announces a hundred bytes and ends after a few.
#[derive(Default)]
struct CutBody {
    polls: u32,
}

impl CutBody {
    const ANNOUNCED: u64 = 100;
    const SENT: &'static [u8] = b"{\"error\":";
}

impl axum::body::HttpBody for CutBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<http_body::Frame<Bytes>, io::Error>>> {
        self.polls += 1;
        match self.polls {
            1 => Poll::Ready(Some(Ok(http_body::Frame::data(Bytes::from_static(Self::SENT))))),
            // The first frame is flushed while this one is pending.
            2 => {
                cx.waker().wake_by_ref();
                Poll::Pending
            }
            _ => Poll::Ready(Some(Err(io::ErrorKind::ConnectionReset.into()))),
        }
    }

    fn size_hint(&self) -> http_body::SizeHint {
        let sent = if self.polls == 0 { 0 } else { Self::SENT.len() as u64 };
        http_body::SizeHint::with_exact(Self::ANNOUNCED - sent)
    }
}
