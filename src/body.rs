//! The request body that knows whether it left.

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

/// Whether the transport has asked for the body. Once it has, nobody can prove that nothing arrived.
///
/// The state is decided once: a request that was cancelled before it was sent can no longer be sent, on any thread.
#[derive(Clone, Default)]
pub(crate) struct SendState(Arc<AtomicU8>);

impl SendState {
    const PENDING: u8 = 0;
    const SENT: u8 = 1;
    const CANCELLED: u8 = 2;

    /// Marks the request as sent. Returns `false` if it was cancelled before.
    fn send(&self) -> bool {
        self.decide(Self::SENT) == Self::SENT
    }

    /// Cancels the request unless it was sent before. Returns whether it was sent.
    pub(crate) fn cancel(&self) -> bool {
        self.decide(Self::CANCELLED) == Self::SENT
    }

    fn decide(&self, state: u8) -> u8 {
        match self.0.compare_exchange(Self::PENDING, state, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => state,
            Err(decided) => decided,
        }
    }
}

/// Cancels the request when the future that waits for it is dropped.
pub(crate) struct CancelOnDrop(pub(crate) SendState);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// A body that records in its [`SendState`] when the transport takes it. It cannot be cloned, so that no layer below
/// can send it a second time.
pub(crate) struct TrackedBody {
    parts: std::array::IntoIter<Bytes, 2>,
    state: SendState,
}

impl TrackedBody {
    /// A body of two parts, neither of which is copied.
    pub(crate) fn new(parts: [Bytes; 2], state: SendState) -> Self {
        Self { parts: parts.into_iter(), state }
    }
}

impl http_body::Body for TrackedBody {
    type Data = Bytes;
    type Error = Cancelled;

    fn poll_frame(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Cancelled>>> {
        Poll::Ready(self.parts.next().map(|part| match self.state.send() {
            true => Ok(Frame::data(part)),
            false => Err(Cancelled),
        }))
    }

    fn is_end_stream(&self) -> bool {
        self.parts.len() == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.parts.as_slice().iter().map(|part| part.len() as u64).sum())
    }
}

/// The error that the transport gets in place of the body of a cancelled request.
#[derive(Debug)]
pub(crate) struct Cancelled;

impl fmt::Display for Cancelled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the request was cancelled before it was sent")
    }
}

impl std::error::Error for Cancelled {}
