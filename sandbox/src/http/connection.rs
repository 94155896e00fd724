//! A connection that can be reset, times out when its peer does not read, and knows the status of its last reply.

use std::{
    io,
    net::Shutdown,
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU16, Ordering},
    },
    task::{Context, Poll, ready},
    time::Duration,
};

use axum::http::StatusCode;
use socket2::SockRef;
use tokio::{
    io::{AsyncRead, AsyncWrite, Interest, ReadBuf},
    net::TcpStream,
    time::{Sleep, sleep},
};

/// A handle to a connection, for the handlers of its requests and for the server.
#[derive(Clone)]
pub(crate) struct ConnectionHandle(Arc<Shared>);

struct Shared {
    stream: TcpStream,
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

    /// Waits until the peer has closed the connection, or its sending side. A reply that is ready is still sent to who
    /// has closed only that; but nobody is made to wait for it.
    pub(crate) async fn gone(&self) {
        /// How often is looked again where something is waiting to be read before the end.
        const INTERVAL: Duration = Duration::from_millis(250);

        while let Ok(ready) = self.0.stream.ready(Interest::READABLE).await {
            if ready.is_read_closed() || matches!(self.0.stream.peek(&mut [0]).await, Ok(0) | Err(_)) {
                return;
            }
            sleep(INTERVAL).await;
        }
    }
}

pub(crate) struct Connection {
    handle: ConnectionHandle,
    /// How long a write may wait for the peer to read.
    write_timeout: Duration,
    timer: Option<Pin<Box<Sleep>>>,
}

impl Connection {
    pub(crate) fn new(stream: TcpStream, write_timeout: Duration) -> Self {
        let shared = Shared {
            stream,
            reset: AtomicBool::default(),
            unanswered: AtomicBool::default(),
            status: AtomicU16::default(),
        };
        Self { handle: ConnectionHandle(Arc::new(shared)), write_timeout, timer: None }
    }

    pub(crate) fn handle(&self) -> ConnectionHandle {
        self.handle.clone()
    }
}

impl AsyncRead for Connection {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let shared = &self.handle.0;
        loop {
            ready!(shared.stream.poll_read_ready(cx))?;
            match shared.stream.try_read(buffer.initialize_unfilled()) {
                Ok(length) => {
                    buffer.advance(length);
                    if length > 0 {
                        shared.unanswered.store(true, Ordering::Release);
                        shared.status.store(0, Ordering::Release);
                    }
                    return Poll::Ready(Ok(()));
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
    }
}

impl AsyncWrite for Connection {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let shared = self.handle.0.clone();
        if shared.reset.load(Ordering::Acquire) {
            // Closing without lingering sends RST.
            return Poll::Ready(shared.stream.set_zero_linger().and(Err(io::ErrorKind::ConnectionReset.into())));
        }
        shared.unanswered.store(false, Ordering::Release);
        if let Some(status) = status(bytes) {
            shared.status.store(status, Ordering::Release);
        }
        while let Poll::Ready(ready) = shared.stream.poll_write_ready(cx) {
            match ready.and_then(|()| shared.stream.try_write(bytes)) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                written => {
                    self.timer = None;
                    return Poll::Ready(written);
                }
            }
        }
        let write_timeout = self.write_timeout;
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep(write_timeout)));
        timer.as_mut().poll(cx).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }

    /// A TCP stream has nothing to flush.
    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        match SockRef::from(&self.handle.0.stream).shutdown(Shutdown::Write) {
            // The peer was faster.
            Err(error) if error.kind() == io::ErrorKind::NotConnected => Poll::Ready(Ok(())),
            result => Poll::Ready(result),
        }
    }
}

/// The status of the reply that begins with these bytes.
fn status(bytes: &[u8]) -> Option<u16> {
    let digits = bytes.strip_prefix(b"HTTP/1.1 ").or_else(|| bytes.strip_prefix(b"HTTP/1.0 "))?.get(..3)?;
    std::str::from_utf8(digits).ok()?.parse().ok()
}
