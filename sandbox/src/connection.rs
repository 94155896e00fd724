//! A connection that can be reset, and of which it is known whether something unanswered was read.

use std::{
    io,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll},
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    net::TcpStream,
};

/// What a handler, and whoever serves the connection, share with it.
#[derive(Clone, Default)]
pub(crate) struct Line(Arc<State>);

#[derive(Default)]
struct State {
    resets: AtomicBool,
    unanswered: AtomicBool,
}

impl Line {
    /// Resets the connection in place of what would be written next.
    pub(crate) fn reset_next(&self) {
        self.0.resets.store(true, Ordering::Release);
    }

    /// Whether something was read since the last answer.
    pub(crate) fn has_unanswered(&self) -> bool {
        self.0.unanswered.load(Ordering::Acquire)
    }
}

pub(crate) struct Connection {
    stream: TcpStream,
    line: Line,
}

impl Connection {
    pub(crate) fn over(stream: TcpStream) -> Self {
        Self { stream, line: Line::default() }
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
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
