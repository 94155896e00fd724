//! Adds many records.

use futures_util::{Stream, StreamExt, stream};

use crate::{Outbox, OutboxError, Record, outbox::differs, record::Staged, store::Added};

/// How many records are added in one transaction.
const CHUNK: usize = 500;

/// How many of the refused records are kept in a [`Summary`].
const REFUSALS: usize = 1_000;

/// What [`Outbox::enqueue_all`] did with the records.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Summary {
    /// How many were added.
    pub new: u64,
    /// How many were there already, with the same content.
    pub there: u64,
    /// How many were refused. Each is logged as a warning.
    pub refused: u64,
    /// The first 1,000 of them: the position in what was passed in, from 0, and what is wrong.
    pub refusals: Vec<(u64, OutboxError)>,
}

impl Summary {
    fn refuse(&mut self, position: u64, error: OutboxError) {
        tracing::warn!(position, %error, "a record was not enqueued");
        self.refused += 1;
        if self.refusals.len() < REFUSALS {
            self.refusals.push((position, error));
        }
    }
}

impl Outbox {
    /// Adds records of a business, of any kind. Only some of them are in memory at a time. One that is wrong does not
    /// stop the others: the [`Summary`] names it.
    ///
    /// Each 500 records are committed together. If this fails halfway, or the process ends, pass in the same records
    /// again: those that were added are [there](Summary::there).
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # let folder = tempfile::tempdir()?;
    /// use business_data_connector::{Decimal, types::IncomeRecord};
    /// use business_data_connector_outbox::Outbox;
    ///
    /// let outbox = Outbox::sqlite(folder.path().join("outbox.db")).await?;
    /// let income = (0..1000).map(|n| IncomeRecord::new().id(format!("INV-{n}")).amount(Decimal::from(n)));
    /// let summary = outbox.enqueue_all("demo-business", income).await?;
    /// assert_eq!((summary.new, summary.refused), (1000, 0));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If the store fails.
    pub async fn enqueue_all<I>(&self, uid: &str, records: I) -> Result<Summary, OutboxError>
    where
        I: IntoIterator<Item: Into<Record>>,
    {
        self.enqueue_stream(uid, stream::iter(records)).await
    }

    /// The same, with records from a stream.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn enqueue_stream<S>(&self, uid: &str, records: S) -> Result<Summary, OutboxError>
    where
        S: Stream<Item: Into<Record>>,
    {
        let mut summary = Summary::default();
        let mut chunks = std::pin::pin!(records.enumerate().chunks(CHUNK));
        while let Some(chunk) = chunks.next().await {
            let (mut positions, mut staged) = (Vec::new(), Vec::<Staged>::new());
            for (position, record) in chunk {
                let position = u64::try_from(position).unwrap_or(u64::MAX);
                match record.into().stage(uid) {
                    Ok(record) => {
                        positions.push(position);
                        staged.push(record);
                    }
                    Err(error) => summary.refuse(position, error),
                }
            }
            for (position, added) in positions.into_iter().zip(self.add(staged).await?) {
                match added {
                    Added::New(_) => summary.new += 1,
                    Added::There => summary.there += 1,
                    Added::Differs(staged) => summary.refuse(position, differs(&staged)),
                }
            }
        }
        Ok(summary)
    }
}
