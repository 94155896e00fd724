use std::{
    fmt,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use crate::{
    Error, Reply, Request, RetryPolicy,
    run::{self, Prepared},
    shared::Shared,
};

/// A call that is ready to be sent: set the optional fields of its request, then `.await` it.
///
/// A call is a future. It can be given to `tokio::spawn`, `tokio::join!` and `futures::future::join_all`, and sent to
/// another thread. Dropping it while it runs cancels it: a request that had been sent by then may still take effect,
/// one that had not is never sent.
///
/// ```no_run
/// # async fn example(connector: business_data_connector::Connector) -> Result<(), Box<dyn std::error::Error>> {
/// use std::time::Duration;
/// use business_data_connector::{Decimal, types::IncomeRecord};
///
/// let income = IncomeRecord::new().id("INV-1").currency("ZAR").amount(Decimal::from(20));
/// let reply = connector
///     .push_income("demo-business", income)
///     .webhook("https://partner.example/callbacks/1")
///     .timeout(Duration::from_secs(10))
///     .await?;
///
/// let (insights, expenses) = tokio::join!(
///     connector.pull_insights("demo-business", "https://partner.example/callbacks/2"),
///     connector.pull_expenses("demo-business", "https://partner.example/callbacks/3"),
/// );
/// let later = tokio::spawn(connector.verify_apikey());
/// # let _ = (insights?, expenses?, later.await??);
/// # Ok(())
/// # }
/// ```
///
/// # Panics
/// When awaited outside a Tokio runtime with time and I/O enabled.
#[must_use = "a call does nothing until it is awaited"]
pub struct Call<R>(State<R>);

enum State<R> {
    Ready(Prepared<R>),
    Running(Pin<Box<dyn Future<Output = Result<Reply, Error>> + Send>>),
    Done,
}

impl<R: Request> Call<R> {
    pub(crate) fn new(shared: Arc<Shared>, request: R) -> Self {
        let (timeout, policy) = (shared.timeout, shared.retry_policy);
        Self(State::Ready(Prepared { shared, request, timeout, policy, idempotent: false }))
    }

    /// Limits the time of the whole call: connecting, every attempt, and reading the reply. It replaces the
    /// [builder's](crate::ConnectorBuilder::timeout).
    #[doc(alias = "deadline")]
    pub fn timeout(self, timeout: Duration) -> Self {
        self.set(|call| call.timeout = Some(timeout))
    }

    /// Removes the time limit of this call.
    pub fn no_timeout(self) -> Self {
        self.set(|call| call.timeout = None)
    }

    /// Sets when and how often this call is retried. It replaces the
    /// [builder's](crate::ConnectorBuilder::retry_policy).
    #[doc(alias = "retry")]
    pub fn retry_policy(self, policy: RetryPolicy) -> Self {
        self.set(|call| call.policy = policy)
    }

    /// Declares that sending this request twice is harmless, so that it is retried where [`Error::retry`] says
    /// [`Retry::CheckFirst`](crate::Retry::CheckFirst): after any transport failure, and after replies if the
    /// [policy](Self::retry_policy) includes those. The interface does not promise that a second write with the same
    /// `id` replaces the first. The result is that of the last attempt; an earlier one may have taken effect.
    pub fn idempotent(self) -> Self {
        self.set(|call| call.idempotent = true)
    }

    /// Changes the request.
    pub(crate) fn with(mut self, change: impl FnOnce(R) -> R) -> Self {
        if let State::Ready(call) = self.0 {
            self.0 = State::Ready(Prepared { request: change(call.request), ..call });
        }
        self
    }

    fn set(mut self, change: impl FnOnce(&mut Prepared<R>)) -> Self {
        // A call that runs already keeps the settings that it began with.
        if let State::Ready(call) = &mut self.0 {
            change(call);
        }
        self
    }
}

// The request is moved out before the future is pinned, in a box of its own.
impl<R> Unpin for Call<R> {}

impl<R: Request> Future for Call<R> {
    type Output = Result<Reply, Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        if let State::Ready(_) = self.0
            && let State::Ready(call) = std::mem::replace(&mut self.0, State::Done)
        {
            self.0 = State::Running(Box::pin(run::run(call)));
        }
        let State::Running(future) = &mut self.0 else {
            return Poll::Pending;
        };
        let poll = future.as_mut().poll(context);
        if poll.is_ready() {
            self.0 = State::Done;
        }
        poll
    }
}

impl<R: fmt::Debug> fmt::Debug for Call<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut call = f.debug_struct("Call");
        if let State::Ready(Prepared { request, timeout, policy, idempotent, .. }) = &self.0 {
            call.field("request", request).field("timeout", timeout);
            call.field("retry_policy", policy).field("idempotent", idempotent);
        }
        call.finish_non_exhaustive()
    }
}
