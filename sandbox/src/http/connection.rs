//! A connection that can be reset, times out when its peer does not read, and knows the status of its last reply.

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

/// A handle to a connection, for the handlers of its requests and for the server.
#[derive(Clone, Default)]
pub(crate) struct ConnectionHandle(Arc<Flags>);

#[derive(Default)]
struct Flags {
    reset: AtomicBool,
    unanswered: AtomicBool,
    /// The status of the last reply begun since something was read; 0 for none.
    status: AtomicU16,
}

impl ConnectionHandle {
    /// Resets the connection instead of writing what comes next.
    pub(crate) fn reset_next(&self) {
        self.0.reset.store(true, Ordering::Release);
    }

    /// The status of the last reply since something was read.
    pub(crate) fn status(&self) -> Option<StatusCode> {
        StatusCode::from_u16(self.0.status.load(Ordering::Acquire)).ok()
    }

    /// Whether something was read since the last reply.
    pub(crate) fn has_unanswered(&self) -> bool {
        self.0.unanswered.load(Ordering::Acquire)
    }
}

pub(crate) struct Connection {
    stream: TcpStream,
    handle: ConnectionHandle,
    /// How long a write may wait for the peer to read.
    write_timeout: Duration,
    timer: Option<Pin<Box<Sleep>>>,
}

impl Connection {
    pub(crate) fn new(stream: TcpStream, write_timeout: Duration) -> Self {
        Self { stream, handle: ConnectionHandle::default(), write_timeout, timer: None }
    }

    pub(crate) fn handle(&self) -> ConnectionHandle {
        self.handle.clone()
    }
}

impl AsyncRead for Connection {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, buffer);
        if buffer.filled().len() > before {
            self.handle.0.unanswered.store(true, Ordering::Release);
            self.handle.0.status.store(0, Ordering::Release);
        }
        read
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        if self.handle.0.reset.load(Ordering::Acquire) {
            // Closing without lingering sends RST.
            return Poll::Ready(self.stream.set_zero_linger().and(Err(io::ErrorKind::ConnectionReset.into())));
        }
        self.handle.0.unanswered.store(false, Ordering::Release);
        if let Some(status) = status(bytes) {
            self.handle.0.status.store(status, Ordering::Release);
        }
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        if written.is_ready() {
            self.timer = None;
            return written;
        }
        let write_timeout = self.write_timeout;
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep(write_timeout)));
        timer.as_mut().poll(cx).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

/// The status of the reply that begins with these bytes.
fn status(bytes: &[u8]) -> Option<u16> {
    let digits = bytes.strip_prefix(b"HTTP/1.1 ").or_else(|| bytes.strip_prefix(b"HTTP/1.0 "))?.get(..3)?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}
