//! Calls that are awaited to their callback.

use std::{
    fmt,
    future::IntoFuture,
    pin::Pin,
    task::{self, Poll},
    time::Duration,
};

use futures_util::{Stream, stream};
use tokio::time::Instant;

use super::{
    arrival::{Order, Received},
    completed::Completed,
    core::Waiter,
    error::AwaitError,
    handle::Inbox,
};
use crate::{Asynchronous, Call, Error, Reply, Request, callback::CallbackId};

impl<R: Asynchronous> Call<R> {
    /// Awaits the callback as well as the reply: the inbox makes an address, which becomes the `webhook`, and its
    /// `signature`, unless the request has one. A `webhook` that is set is replaced; where it is a required argument,
    /// pass `""`, or use [`Connector::awaiting`](crate::Connector::awaiting). Feature `inbox`.
    ///
    /// ```no_run
    /// # async fn example(connector: business_data_connector::Connector) -> Result<(), Box<dyn std::error::Error>> {
    /// use business_data_connector::{inbox::Inbox, types::IncomeRecord};
    ///
    /// let inbox = Inbox::bind("127.0.0.1:0", None).await?;
    /// let done = connector.push_income("demo-business", IncomeRecord::new().id("INV-1")).awaiting(&inbox).await?;
    /// println!("{}", done.message().unwrap_or("recorded"));
    /// # Ok(())
    /// # }
    /// ```
    pub fn awaiting(self, inbox: &Inbox) -> AwaitedCall<R> {
        AwaitedCall { call: self, inbox: inbox.clone(), timeout: AwaitedCall::<R>::DEFAULT_CALLBACK_TIMEOUT }
    }
}

/// A call that ends with its callback. It is made by [`Call::awaiting`] and
/// [`Connector::awaiting`](crate::Connector::awaiting); `.await` it for the final callback, or [`stream`](Self::stream)
/// it for the interim ones as well.
///
/// The call and the wait begin together, so a callback that arrives before the reply is not lost. If it is unknown
/// whether the service accepted the request, such as after a broken connection, the callback is awaited nevertheless,
/// since it settles the question.
#[must_use = "a call does nothing until it is awaited"]
pub struct AwaitedCall<R> {
    call: Call<R>,
    inbox: Inbox,
    timeout: Duration,
}

impl<R: Request> AwaitedCall<R> {
    /// The default of [`callback_timeout`](Self::callback_timeout): two minutes.
    pub const DEFAULT_CALLBACK_TIMEOUT: Duration = Duration::from_secs(120);

    /// Sets how long to wait for the final callback once the call has ended. The call itself has the timeout that
    /// [`Call::timeout`] sets. How long the service takes is not specified.
    pub fn callback_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// Sends the request, and returns its callbacks: interim ones, and the final one, with which the stream ends. An
    /// error ends it as well.
    ///
    /// ```no_run
    /// # async fn example(
    /// #     connector: business_data_connector::Connector, inbox: business_data_connector::inbox::Inbox,
    /// # ) -> Result<(), Box<dyn std::error::Error>> {
    /// let mut callbacks = connector.pull_bank_feed("demo-business").awaiting(&inbox).stream();
    /// while let Some(received) = callbacks.next().await {
    ///     let received = received?;
    ///     println!("{:?}: {} bytes", received.order(), received.bytes().len());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn stream(self) -> CallbackStream {
        let steps = stream::unfold(Step::Begin(self), |step| async move {
            match step.next().await {
                Ok(Some((received, step))) => Some((Ok(received), step)),
                Ok(None) => None,
                Err(error) => Some((Err(error), Step::End)),
            }
        });
        CallbackStream(Box::pin(steps))
    }

    /// Sends the request. `Ok` if a callback is to be waited for.
    pub(super) async fn begin(self) -> Result<Waiting, AwaitError> {
        let Self { call, inbox, timeout } = self;
        let core = inbox.core().clone();
        let mut attached = None;
        let call = call.with(|mut request| {
            attached = Some(core.endpoint.attach(&mut request));
            request
        });
        let address = attached.ok_or_else(|| Error::invalid("the call was polled before it was awaited"))??;
        let waiter = Waiter::new(core, address.id());
        let (reply, error) = match call.await {
            Ok(reply) => (Some(reply), None),
            Err(error) if may_have_been_accepted(&error) => (None, Some(error)),
            Err(error) => return Err(error.into()),
        };
        let deadline = Instant::now().checked_add(timeout);
        Ok(Waiting { waiter, reply, error, timeout, deadline, interim: Vec::new(), inbox })
    }

    async fn completed(self) -> Result<Completed<R>, AwaitError> {
        let mut waiting = self.begin().await?;
        let mut interim = Vec::new();
        loop {
            let received = waiting.next().await?;
            match received.order() {
                Order::Interim => interim.push(received),
                _ => return Ok(Completed::new(received, interim, waiting.reply)),
            }
        }
    }
}

/// Whether the service may have accepted the request although the call failed, so that a callback may come.
fn may_have_been_accepted(error: &Error) -> bool {
    let unreadable = matches!(error, Error::ReplyTooLarge { .. } | Error::UnreadableReply { .. });
    error.is_outcome_unknown() || error.is_server_error() || unreadable
}

impl<R: Request> IntoFuture for AwaitedCall<R> {
    type Output = Result<Completed<R>, AwaitError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.completed())
    }
}

impl<R: fmt::Debug> fmt::Debug for AwaitedCall<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AwaitedCall").field("call", &self.call).field("callback_timeout", &self.timeout).finish()
    }
}

/// A request that was sent, and whose callbacks are awaited.
pub(super) struct Waiting {
    waiter: Waiter,
    reply: Option<Reply>,
    error: Option<Error>,
    timeout: Duration,
    deadline: Option<Instant>,
    interim: Vec<Received>,
    /// Its server may end with it.
    inbox: Inbox,
}

impl Waiting {
    pub(super) fn reply(&self) -> Option<&Reply> {
        self.reply.as_ref()
    }

    /// The next interim callback, or the final one.
    pub(super) async fn next(&mut self) -> Result<Received, AwaitError> {
        let _ = &self.inbox;
        let received = next(&mut self.waiter, self.deadline).await?;
        let Some(received) = received else {
            return Err(AwaitError::NoCallback {
                waited: self.timeout,
                reply: self.reply.take().map(Box::new),
                call: self.error.take().map(Box::new),
                interim: std::mem::take(&mut self.interim).into_iter().map(Received::into_callback).collect(),
            });
        };
        if received.order() == Order::Interim {
            self.interim.push(received.clone());
        }
        Ok(received)
    }
}

/// The next callback that is not a failure; `None` if none arrives until the deadline.
async fn next(waiter: &mut Waiter, deadline: Option<Instant>) -> Result<Option<Received>, AwaitError> {
    let Some(stored) = waiter.next(deadline).await? else { return Ok(None) };
    let received = Received::new(waiter.core().clone(), stored);
    received.done_unless_durable().await?;
    match received.is_failure() && received.order() != Order::Interim {
        true => Err(AwaitError::Failed(Box::new(received))),
        false => Ok(Some(received)),
    }
}

impl Inbox {
    /// Waits for the final callback of a request that was sent elsewhere, or before a restart. One that has arrived and
    /// is not handled is returned at once.
    ///
    /// # Errors
    /// [`AwaitError::NoCallback`], [`AwaitError::Failed`] or [`AwaitError::Store`].
    pub async fn wait_for(&self, address: CallbackId, timeout: Duration) -> Result<Received, AwaitError> {
        final_callback(Waiter::new(self.core().clone(), address), timeout).await
    }
}

/// Waits for the final callback of a request that was sent elsewhere.
async fn final_callback(mut waiter: Waiter, timeout: Duration) -> Result<Received, AwaitError> {
    let deadline = Instant::now().checked_add(timeout);
    let mut interim = Vec::new();
    loop {
        match next(&mut waiter, deadline).await? {
            Some(received) if received.order() == Order::Interim => interim.push(received.into_callback()),
            Some(received) => return Ok(received),
            None => return Err(AwaitError::NoCallback { waited: timeout, reply: None, call: None, interim }),
        }
    }
}

enum Step<R> {
    Begin(AwaitedCall<R>),
    Wait(Box<Waiting>),
    End,
}

impl<R: Request> Step<R> {
    async fn next(self) -> Result<Option<(Received, Self)>, AwaitError> {
        let mut waiting = match self {
            Self::Begin(call) => Box::new(call.begin().await?),
            Self::Wait(waiting) => waiting,
            Self::End => return Ok(None),
        };
        let received = waiting.next().await?;
        let step = if received.order() == Order::Interim { Self::Wait(waiting) } else { Self::End };
        Ok(Some((received, step)))
    }
}

/// The callbacks of a call: see [`AwaitedCall::stream`].
#[must_use = "a stream does nothing until it is polled"]
pub struct CallbackStream(Pin<Box<dyn Stream<Item = Result<Received, AwaitError>> + Send>>);

impl CallbackStream {
    /// The next callback; `None` after the final one or an error.
    pub async fn next(&mut self) -> Option<Result<Received, AwaitError>> {
        std::future::poll_fn(|context| self.0.as_mut().poll_next(context)).await
    }
}

impl Stream for CallbackStream {
    type Item = Result<Received, AwaitError>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut task::Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.as_mut().poll_next(context)
    }
}

impl fmt::Debug for CallbackStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CallbackStream").finish_non_exhaustive()
    }
}
