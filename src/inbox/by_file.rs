//! Requests whose data is a file: its address is asked for, the file is uploaded, and the request names it.

use std::{fmt, future::IntoFuture, pin::Pin, sync::Arc, time::Duration};

use serde::Serialize;
use serde_json::Value;

use super::{
    arrival::Order,
    awaiting::AwaitedCall,
    completed::Completed,
    connector::Awaiting,
    error::AwaitError,
    handle::Inbox,
    put::{self, UploadError},
};
use crate::{Asynchronous, Connector};

/// A request whose data is a file that is uploaded before. It is implemented for the operations that the document has
/// an `x-upload` for.
pub trait ByFile: Asynchronous {
    /// The request that asks for an address.
    type AddressRequest: Asynchronous;
    /// An element of the file, which is a JSON array.
    type Entry: Serialize + Send + Sync + 'static;
    /// What the request says about the file.
    type File: fmt::Debug + Send + 'static;
    /// The member of the reply, or of `response` in the callback, that is the address.
    const ADDRESS: &'static str;

    /// The request that asks for an address.
    fn address_request(uid: &str) -> Self::AddressRequest;

    /// The request that names the file.
    fn naming(uid: &str, file: Self::File, address: &str) -> Self;
}

/// A file to upload, and the request that names it: `.await` it for the final callback of that request.
///
/// Three things happen, one after the other: the service is asked for an address, which is taken from its reply or from
/// its callback, whichever has it; the entries are PUT there as a JSON array, piece by piece, with their
/// `Content-Length` and without a header that the address was not signed for, unless [`configure_client`] sets default
/// ones; then the request is sent, and its callback awaited. An error says which of the three failed. The query of the
/// address, which grants access, is never shown.
///
/// ```no_run
/// # async fn example(
/// #     connector: business_data_connector::Connector, inbox: business_data_connector::inbox::Inbox,
/// # ) -> Result<(), Box<dyn std::error::Error>> {
/// use business_data_connector::types::{Settlement, SettlementEntry, SettlementFile};
///
/// let entries = vec![SettlementEntry::new().settlement(Settlement::new().id("SET-1"))];
/// connector
///     .awaiting(&inbox)
///     .settle_by_file("demo-business", entries)
///     .file(SettlementFile::new().date("2026-03-31"))
///     .await?;
/// # Ok(())
/// # }
/// ```
///
/// [`configure_client`]: crate::ConnectorBuilder::configure_client
#[must_use = "a call does nothing until it is awaited"]
pub struct FileCall<R: ByFile> {
    connector: Connector,
    inbox: Inbox,
    uid: String,
    entries: Arc<[R::Entry]>,
    file: R::File,
    upload_timeout: Duration,
    callback_timeout: Duration,
}

impl Awaiting<'_> {
    pub(crate) fn by_file<R: ByFile>(&self, uid: String, entries: Arc<[R::Entry]>, file: R::File) -> FileCall<R> {
        FileCall {
            connector: self.connector().clone(),
            inbox: self.inbox().clone(),
            uid,
            entries,
            file,
            upload_timeout: FileCall::<R>::DEFAULT_UPLOAD_TIMEOUT,
            callback_timeout: AwaitedCall::<R>::DEFAULT_CALLBACK_TIMEOUT,
        }
    }
}

impl<R: ByFile> FileCall<R> {
    /// The default of [`upload_timeout`](Self::upload_timeout): five minutes.
    pub const DEFAULT_UPLOAD_TIMEOUT: Duration = Duration::from_secs(300);

    /// Sets what the request says about the file. Its address is filled in.
    pub fn file(mut self, file: R::File) -> Self {
        self.file = file;
        self
    }

    /// Sets how long the upload may take.
    pub fn upload_timeout(mut self, timeout: Duration) -> Self {
        self.upload_timeout = timeout;
        self
    }

    /// Sets how long to wait for each of the two callbacks: see [`AwaitedCall::callback_timeout`].
    pub fn callback_timeout(mut self, timeout: Duration) -> Self {
        self.callback_timeout = timeout;
        self
    }

    async fn run(self) -> Result<Completed<R>, AwaitError> {
        let awaiting = self.connector.awaiting(&self.inbox);
        let call = awaiting.send(R::address_request(&self.uid)).callback_timeout(self.callback_timeout);
        let address = address::<R>(call).await?;
        let client = &self.connector.shared().client;
        put::put(client, &address, self.entries, self.upload_timeout).await.map_err(Box::new)?;
        let request = R::naming(&self.uid, self.file, &address);
        awaiting.send(request).callback_timeout(self.callback_timeout).await
    }
}

/// The address from the reply, or else from the callback.
async fn address<R: ByFile>(call: AwaitedCall<R::AddressRequest>) -> Result<String, AwaitError> {
    let member = |value: Value| value[R::ADDRESS].as_str().map(str::to_owned);
    let mut waiting = call.begin().await?;
    if let Some(address) = waiting.reply().and_then(|reply| reply.json().ok()).and_then(member) {
        return Ok(address);
    }
    loop {
        let received = waiting.next().await?;
        // Nobody else has a use for it.
        received.done().await?;
        if let Some(address) = received.response().ok().and_then(member) {
            return Ok(address);
        }
        if received.order() != Order::Interim {
            let problem = format!("neither the reply nor the callback of {} has an address", received.operation_id());
            return Err(AwaitError::Upload(Box::new(UploadError::new(problem))));
        }
    }
}

impl<R: ByFile> IntoFuture for FileCall<R> {
    type Output = Result<Completed<R>, AwaitError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.run())
    }
}

impl<R: ByFile> fmt::Debug for FileCall<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileCall")
            .field("uid", &self.uid)
            .field("entries", &self.entries.len())
            .field("file", &self.file)
            .finish_non_exhaustive()
    }
}
