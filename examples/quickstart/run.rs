//! Calls every operation at least once, and pushes the ledger through those that take its records.

use std::{
    collections::BTreeMap,
    error::Error,
    time::{Duration, Instant},
};

use business_data_connector::{
    Asynchronous, Call, Connector, Error as CallError, Request,
    inbox::{AwaitError, Completed, Inbox},
    reqwest::StatusCode,
    types,
};
use indicatif::ProgressBar;

use crate::{
    ledger::Ledger,
    report::{Calls, Report},
};

/// How long to wait for a callback.
const CALLBACK_TIMEOUT: Duration = Duration::from_secs(10);

/// The most records of one type in a request of `push_many`, so that it has at most 500 of both types, the most that
/// deployed clients were observed to send.
const BATCH: usize = 250;

pub struct Run<'a> {
    pub connector: Connector,
    pub inbox: &'a Inbox,
    pub bar: ProgressBar,
    pub report: Report,
    /// The operations that are deliberately not called, with the reason.
    pub skipped: BTreeMap<&'static str, &'static str>,
}

impl Run<'_> {
    /// Runs the tour. Returns the business that the ledger was pushed for.
    pub async fn all(&mut self, ledger: &Ledger, uid: Option<String>, reset: bool) -> Result<String, String> {
        let connector = self.connector.clone();
        self.make(connector.verify_apikey()).await?;
        let uid = self.business(ledger, uid).await?;
        match reset {
            true => self.make(connector.push_reset(&uid)).await?,
            false => _ = self.skipped.insert("push_reset", "it removes data; to call it, use --reset"),
        }
        self.push(ledger, &uid).await?;
        self.pull(ledger, &uid).await?;
        Ok(uid)
    }

    /// Creates the business, whose uid is in the callback, unless one is given, which is left unchanged.
    async fn business(&mut self, ledger: &Ledger, uid: Option<String>) -> Result<String, String> {
        if let Some(uid) = uid {
            let reason = "--uid names an existing business, which is not changed";
            self.skipped.extend([("push_business", reason), ("push_business_update", reason)]);
            return Ok(uid);
        }
        let connector = self.connector.clone();
        let created = self.await_callback(connector.push_business(ledger.business.clone())).await?;
        let uid = created.response().map_err(|e| e.to_string())?.uid;
        let uid = uid.ok_or("the callback has no uid of the new business; name an existing business with --uid")?;
        self.await_callback(connector.push_business_update(&uid, ledger.business.clone())).await?;
        Ok(uid)
    }

    /// Pushes the first half of income and expenses one by one and the rest in batches, and the last settlement as a
    /// file.
    async fn push(&mut self, ledger: &Ledger, uid: &str) -> Result<(), String> {
        let connector = self.connector.clone();
        let empty = [
            ("push_sale", ledger.sales.is_empty()),
            ("push_income", ledger.income.is_empty()),
            ("push_expense", ledger.expenses.is_empty()),
        ];
        self.skipped
            .extend(empty.into_iter().filter(|(_, empty)| *empty).map(|(id, _)| (id, "the ledger has no such record")));
        for sale in &ledger.sales {
            self.await_callback(connector.push_sale(uid, sale.clone())).await?;
            self.bar.inc(1);
        }
        let (income, more_income) = ledger.income.split_at(ledger.income.len().div_ceil(2));
        for income in income {
            self.await_callback(connector.push_income(uid, income.clone())).await?;
            self.bar.inc(1);
        }
        let (expenses, more_expenses) = ledger.expenses.split_at(ledger.expenses.len().div_ceil(2));
        for expense in expenses {
            self.await_callback(connector.push_expense(uid, expense.clone())).await?;
            self.bar.inc(1);
        }
        let (mut income_batches, mut expense_batches) = (more_income.chunks(BATCH), more_expenses.chunks(BATCH));
        for _ in 0..income_batches.len().max(expense_batches.len()).max(1) {
            let income = income_batches.next().unwrap_or_default();
            let expenses = expense_batches.next().unwrap_or_default();
            let many = types::ManyRecords::new().income(income.to_vec()).expenses(expenses.to_vec());
            self.await_callback(connector.push_many(uid, many)).await?;
            self.bar.inc((income.len() + expenses.len()) as u64);
        }
        self.settle(ledger, uid).await?;
        let continued = types::SubscriptionContinuation::new().id("SUB-1").date("2026-03-31").amount(99);
        self.await_callback(connector.push_subscription(uid, continued)).await?;
        let cancelled = types::SubscriptionCancellation::new().date("2026-03-31");
        self.await_callback(connector.push_cancellation(uid, cancelled)).await?;
        Ok(())
    }

    async fn settle(&mut self, ledger: &Ledger, uid: &str) -> Result<(), String> {
        let connector = self.connector.clone();
        let directly = &ledger.settlements[..ledger.settlements.len().saturating_sub(1)];
        let as_file = &ledger.settlements[directly.len()..];
        self.await_callback(connector.push_settlement(uid, directly)).await?;
        self.bar.inc(directly.len() as u64);
        let started = Instant::now();
        let file = types::SettlementFile::new().date("2026-03-31");
        let call = connector.awaiting(self.inbox).settle_by_file(uid, as_file).file(file);
        let settled = call.callback_timeout(CALLBACK_TIMEOUT).await.map_err(|e| problem(&e, e.message()))?;
        self.calls(types::PullStorageUploadUrlRequest::OPERATION.id).part_of = Some("settle_by_file");
        self.completed(&settled, started);
        self.bar.inc(as_file.len() as u64);
        Ok(())
    }

    async fn pull(&mut self, ledger: &Ledger, uid: &str) -> Result<(), String> {
        let connector = self.connector.clone();
        let email = ledger.business.email.as_deref().unwrap_or("ada@example.com");
        self.make(connector.pull_business(email)).await?;
        // The inbox fills in the webhook.
        self.await_callback(connector.pull_insights(uid, "")).await?;
        self.await_callback(connector.pull_expenses(uid, "")).await?;
        self.await_callback(connector.pull_income(uid, "")).await?;
        self.await_callback(connector.pull_bank_feed(uid)).await?;
        Ok(())
    }

    /// Awaits a call and its callback, and records both. An error ends the tour.
    async fn await_callback<R: Asynchronous>(&mut self, call: Call<R>) -> Result<Completed<R>, String> {
        let started = Instant::now();
        let result = call.awaiting(self.inbox).callback_timeout(CALLBACK_TIMEOUT).await;
        match result {
            Ok(completed) => {
                self.completed(&completed, started);
                Ok(completed)
            }
            Err(error) => {
                let status = match &error {
                    AwaitError::NoCallback { reply: Some(reply), .. } => Some(reply.status()),
                    _ => error.call().and_then(CallError::status),
                };
                self.add(R::OPERATION.id, status, started);
                Err(problem(&error, error.message()))
            }
        }
    }

    /// Awaits a call without a callback, and records it. An error ends the tour.
    async fn make<R: Request>(&mut self, call: Call<R>) -> Result<(), String> {
        let started = Instant::now();
        let result = call.await;
        let status = match &result {
            Ok(reply) => Some(reply.status()),
            Err(error) => error.status(),
        };
        self.add(R::OPERATION.id, status, started);
        result.map(drop).map_err(|error| problem(&error, error.message()))
    }

    fn completed<R: Asynchronous>(&mut self, completed: &Completed<R>, started: Instant) {
        self.add(R::OPERATION.id, completed.reply().map(|reply| reply.status()), started);
        let calls = self.calls(R::OPERATION.id);
        calls.callbacks += 1;
        calls.interim += completed.interim().len();
    }

    fn add(&mut self, operation: &'static str, status: Option<StatusCode>, started: Instant) {
        let calls = self.calls(operation);
        calls.time += started.elapsed();
        if let Some(status) = status {
            *calls.statuses.entry(status.as_u16()).or_default() += 1;
        }
    }

    fn calls(&mut self, operation: &'static str) -> &mut Calls {
        self.report.entry(operation).or_default()
    }
}

/// The error with its causes, and the service's own words.
fn problem(error: &dyn Error, message: Option<String>) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text += &format!(": {error}");
        cause = error.source();
    }
    match message {
        Some(message) => format!("{text} ({message})"),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use business_data_connector_sandbox::{DEMO_APIKEY, DEMO_APPID, DEMO_HEADER_KEY, Fault, FaultRule, Sandbox};

    use super::*;

    /// The tour against a sandbox with a fault: the calls with a callback, the final callbacks, the interim ones, and
    /// the duplicates.
    async fn counts(fault: Fault) -> (usize, usize, usize, usize) {
        let sandbox = Sandbox::builder().fault(FaultRule::new(fault)).start().await.unwrap();
        let inbox = Inbox::bind("127.0.0.1:0", None).await.unwrap();
        let builder = Connector::builder().base_url(sandbox.base_url()).credentials(DEMO_APIKEY, DEMO_APPID);
        let connector = builder.header_key(DEMO_HEADER_KEY).build().unwrap();
        let (bar, report, skipped) = (ProgressBar::hidden(), Report::default(), BTreeMap::new());
        let mut run = Run { connector, inbox: &inbox, bar, report, skipped };
        let ledger = Ledger::parse(include_str!("../ledger.json")).unwrap();
        run.all(&ledger, None, true).await.unwrap();
        assert_eq!(run.report.len(), business_data_connector::OPERATIONS.len());
        let sum = |count: fn(&Calls) -> usize| run.report.values().map(count).sum();
        let (finals, interim) = (sum(|calls| calls.callbacks), sum(|calls| calls.interim));
        let calls = run.report.iter().filter(|(_, calls)| calls.callbacks > 0);
        let calls = calls.map(|(_, calls)| calls.statuses.values().sum::<usize>()).sum();
        // The second deliveries of the last callbacks may still be under way.
        while fault == Fault::CallbackDuplicate && inbox.counts().duplicates < inbox.counts().new {
            tokio::task::yield_now().await;
        }
        (calls, finals, interim, inbox.counts().duplicates as usize)
    }

    #[tokio::test]
    async fn interim_callbacks_are_counted_apart_from_final_ones() {
        assert_eq!(counts(Fault::CallbackInterim).await, (33, 33, 33, 0));
    }

    #[tokio::test]
    async fn a_duplicate_is_not_counted_as_another_callback() {
        assert_eq!(counts(Fault::CallbackDuplicate).await, (33, 33, 0, 34));
    }
}
