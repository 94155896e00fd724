//! A connection that can be reset, that gives up a reader who does not read, and of which it is known what was answered last.

use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU16, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use axum::http::StatusCode;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
    time::{Sleep, sleep},
};

/// What a handler, and whoever serves the connection, share with it.
#[derive(Clone, Default)]
pub(crate) struct Line(Arc<State>);

#[derive(Default)]
struct State {
    resets: AtomicBool,
    unanswered: AtomicBool,
    /// Of the answer that was begun last since something was read; 0 for none.
    status: AtomicU16,
}

impl Line {
    /// Resets the connection in place of what would be written next.
    pub(crate) fn reset_next(&self) {
        self.0.resets.store(true, Ordering::Release);
    }

    /// The status that was answered since something was read.
    pub(crate) fn status(&self) -> Option<StatusCode> {
        StatusCode::from_u16(self.0.status.load(Ordering::Acquire)).ok()
    }

    /// Whether something was read since the last answer.
    pub(crate) fn has_unanswered(&self) -> bool {
        self.0.unanswered.load(Ordering::Acquire)
    }
}

pub(crate) struct Connection {
    stream: TcpStream,
    line: Line,
    /// How long nothing may be taken of what is written.
    patience: Duration,
    stuck: Option<Pin<Box<Sleep>>>,
}

impl Connection {
    pub(crate) fn over(stream: TcpStream, patience: Duration) -> Self {
        Self { stream, line: Line::default(), patience, stuck: None }
    }

    pub(crate) fn line(&self) -> Line {
        self.line.clone()
    }
}

impl AsyncRead for Connection {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, buffer);
        if buffer.filled().len() > before {
            self.line.0.unanswered.store(true, Ordering::Release);
            self.line.0.status.store(0, Ordering::Release);
        }
        read
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if self.line.0.resets.load(Ordering::Acquire) {
            // Closing without lingering is what makes it a reset.
            return Poll::Ready(self.stream.set_zero_linger().and(Err(io::ErrorKind::ConnectionReset.into())));
        }
        self.line.0.unanswered.store(false, Ordering::Release);
        if let Some(status) = status(bytes) {
            self.line.0.status.store(status, Ordering::Release);
        }
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        if written.is_ready() {
            self.stuck = None;
            return written;
        }
        let patience = self.patience;
        let stuck = self.stuck.get_or_insert_with(|| Box::pin(sleep(patience)));
        stuck.as_mut().poll(cx).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

/// The status that these bytes begin an answer with.
fn status(bytes: &[u8]) -> Option<u16> {
    let digits = bytes.strip_prefix(b"HTTP/1.1 ").or_else(|| bytes.strip_prefix(b"HTTP/1.0 "))?.get(..3)?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}
