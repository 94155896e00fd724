//! Uploads records as a file, which is written while it is sent.

use std::{
    convert::Infallible,
    error::Error as StdError,
    fmt, io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use reqwest::{Client, StatusCode, Url};
use serde::Serialize;

use crate::base_url;

/// How much of the file is written at once.
const CHUNK: usize = 64 * 1024;

/// A file could not be uploaded. The request that would have named it was not sent.
///
/// It shows no part of the address, whose query grants access.
#[derive(Debug)]
pub struct UploadError {
    problem: String,
    status: Option<StatusCode>,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

impl UploadError {
    pub(super) fn new(problem: impl Into<String>) -> Self {
        Self { problem: problem.into(), status: None, source: None }
    }

    /// The status that the storage answered, if it did.
    pub fn status(&self) -> Option<StatusCode> {
        self.status
    }
}

impl fmt::Display for UploadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.problem)
    }
}

impl StdError for UploadError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_ref().map(|source| &**source as _)
    }
}

/// PUTs a JSON array to a presigned address. A signature covers headers, so none is added to those that the transport
/// needs.
pub(super) async fn put<T: Serialize + Send + Sync + 'static>(
    client: &Client,
    address: &str,
    entries: Arc<[T]>,
    timeout: Duration,
) -> Result<(), UploadError> {
    let url = Url::parse(address).ok().filter(|url| url.has_host());
    let url = url.ok_or_else(|| UploadError::new("the upload address that the service gave is not a URL"))?;
    if url.scheme() != "https" && !(url.scheme() == "http" && base_url::is_this_machine(&url)) {
        return Err(UploadError::new("the upload address that the service gave does not begin with https://"));
    }
    let file = File::of(entries).map_err(|error| UploadError {
        source: Some(error.into()),
        ..UploadError::new("the entries cannot be written as JSON")
    })?;
    let sent = client.put(url).timeout(timeout).body(reqwest::Body::wrap(file)).send().await;
    let response = sent.map_err(|error| UploadError {
        source: Some(error.without_url().into()),
        ..UploadError::new("the file could not be uploaded")
    })?;
    match response.status() {
        status if status.is_success() => Ok(()),
        status => Err(UploadError {
            status: Some(status),
            ..UploadError::new(format!("the file could not be uploaded: the storage answered {status}"))
        }),
    }
}

/// A JSON array that is written piece by piece, and whose length is known before.
struct File<T> {
    entries: Arc<[T]>,
    /// How many entries are written.
    written: usize,
    /// How many bytes remain to be sent.
    remaining: u64,
    begun: bool,
}

impl<T: Serialize> File<T> {
    fn of(entries: Arc<[T]>) -> serde_json::Result<Self> {
        let mut length = Length(0);
        for entry in entries.iter() {
            serde_json::to_writer(&mut length, entry)?;
        }
        // The brackets, and a comma between any two entries.
        let remaining = length.0 + 2 + (entries.len() as u64).saturating_sub(1);
        Ok(Self { entries, written: 0, remaining, begun: false })
    }

    fn next(&mut self) -> Option<Bytes> {
        if self.remaining == 0 {
            return None;
        }
        let mut chunk = Vec::new();
        if !std::mem::replace(&mut self.begun, true) {
            chunk.push(b'[');
        }
        while chunk.len() < CHUNK
            && let Some(entry) = self.entries.get(self.written)
        {
            if self.written > 0 {
                chunk.push(b',');
            }
            // It was written before, to count its bytes.
            let _ = serde_json::to_writer(&mut chunk, entry);
            self.written += 1;
        }
        if self.written == self.entries.len() {
            chunk.push(b']');
        }
        self.remaining = self.remaining.saturating_sub(chunk.len() as u64);
        Some(chunk.into())
    }
}

impl<T: Serialize> Body for File<T> {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, Self::Error>>> {
        Poll::Ready(self.next().map(|chunk| Ok(Frame::data(chunk))))
    }

    fn is_end_stream(&self) -> bool {
        self.remaining == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.remaining)
    }
}

/// Counts what is written to it.
struct Length(u64);

impl io::Write for Length {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
