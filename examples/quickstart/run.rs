//! Calls every operation at least once, and pushes the ledger through those that take its records.

use std::{
    collections::BTreeMap,
    error::Error as _,
    time::{Duration, Instant},
};

use business_data_connector::{Call, Connector, Reply, Request, types};
use indicatif::ProgressBar;

use crate::{ledger::Ledger, listener::Listener, report::Report, upload};

/// How long to wait for a callback.
pub const CALLBACK_TIMEOUT: Duration = Duration::from_secs(10);

/// The most records of one type in a request of `push_many`, so that it has at most 500 of both types, the most that
/// deployed clients were observed to send.
const BATCH: usize = 250;

pub struct Run<'a> {
    pub connector: Connector,
    pub listener: &'a Listener,
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
            true => _ = self.make(connector.push_reset(&uid)).await?,
            false => _ = self.skipped.insert("push_reset", "it removes data; to call it, use --reset"),
        }
        self.push(ledger, &uid).await?;
        self.pull(ledger, &uid).await?;
        self.listener.wait_for_all(CALLBACK_TIMEOUT).await;
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
        let (number, webhook) = self.listener.address("push_business");
        self.make(connector.push_business(ledger.business.clone()).webhook(webhook)).await?;
        let callback = self.listener.wait_for(number, CALLBACK_TIMEOUT).await;
        let uid = callback.as_ref().and_then(|callback| callback["response"]["uid"].as_str()).map(str::to_owned);
        let uid =
            uid.ok_or("no callback with the uid of the new business arrived; name an existing business with --uid")?;
        let (_, webhook) = self.listener.address("push_business_update");
        self.make(connector.push_business_update(&uid, ledger.business.clone()).webhook(webhook)).await?;
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
            let (_, webhook) = self.listener.address("push_sale");
            self.make(connector.push_sale(uid, sale.clone()).webhook(webhook)).await?;
            self.bar.inc(1);
        }
        let (income, more_income) = ledger.income.split_at(ledger.income.len().div_ceil(2));
        for income in income {
            let (_, webhook) = self.listener.address("push_income");
            self.make(connector.push_income(uid, income.clone()).webhook(webhook)).await?;
            self.bar.inc(1);
        }
        let (expenses, more_expenses) = ledger.expenses.split_at(ledger.expenses.len().div_ceil(2));
        for expense in expenses {
            let (_, webhook) = self.listener.address("push_expense");
            self.make(connector.push_expense(uid, expense.clone()).webhook(webhook)).await?;
            self.bar.inc(1);
        }
        let (mut income_batches, mut expense_batches) = (more_income.chunks(BATCH), more_expenses.chunks(BATCH));
        for _ in 0..income_batches.len().max(expense_batches.len()).max(1) {
            let income = income_batches.next().unwrap_or_default();
            let expenses = expense_batches.next().unwrap_or_default();
            let many = types::ManyRecords::new().income(income.to_vec()).expenses(expenses.to_vec());
            let (_, webhook) = self.listener.address("push_many");
            self.make(connector.push_many(uid, many).webhook(webhook)).await?;
            self.bar.inc((income.len() + expenses.len()) as u64);
        }
        self.settle(ledger, uid).await?;
        let (_, webhook) = self.listener.address("push_subscription");
        let continued = types::SubscriptionContinuation::new().id("SUB-1").date("2026-03-31").amount(99);
        self.make(connector.push_subscription(uid, continued).webhook(webhook)).await?;
        let (_, webhook) = self.listener.address("push_cancellation");
        let cancelled = types::SubscriptionCancellation::new().date("2026-03-31");
        self.make(connector.push_cancellation(uid, cancelled).webhook(webhook)).await?;
        Ok(())
    }

    async fn settle(&mut self, ledger: &Ledger, uid: &str) -> Result<(), String> {
        let connector = self.connector.clone();
        let (number, webhook) = self.listener.address("pull_storage_upload_url");
        self.make(connector.pull_storage_upload_url(uid).webhook(webhook)).await?;
        let callback = self.listener.wait_for(number, CALLBACK_TIMEOUT).await;
        let url = callback.as_ref().and_then(|callback| callback["response"]["url"].as_str());
        let url = url.filter(|url| url.starts_with("http://"));
        let directly = match (ledger.settlements.split_last(), url) {
            (Some((_, rest)), Some(_)) => rest,
            _ => &ledger.settlements,
        };
        let as_file = &ledger.settlements[directly.len()..];
        let (_, webhook) = self.listener.address("push_settlement");
        self.make(connector.push_settlement(uid, directly).webhook(webhook)).await?;
        self.bar.inc(directly.len() as u64);
        let Some(url) = url else {
            self.skipped
                .insert("push_settlement_file", "no callback with an upload URL that begins with http:// arrived");
            return Ok(());
        };
        upload::put(url, as_file).await?;
        let file = types::SettlementFile::new().url(url).date("2026-03-31");
        let (_, webhook) = self.listener.address("push_settlement_file");
        self.make(connector.push_settlement_file(uid, file).webhook(webhook)).await?;
        self.bar.inc(as_file.len() as u64);
        Ok(())
    }

    async fn pull(&mut self, ledger: &Ledger, uid: &str) -> Result<(), String> {
        let connector = self.connector.clone();
        let email = ledger.business.email.as_deref().unwrap_or("ada@example.com");
        self.make(connector.pull_business(email)).await?;
        let (_, webhook) = self.listener.address("pull_insights");
        self.make(connector.pull_insights(uid, webhook)).await?;
        let (_, webhook) = self.listener.address("pull_expenses");
        self.make(connector.pull_expenses(uid, webhook)).await?;
        let (_, webhook) = self.listener.address("pull_income");
        self.make(connector.pull_income(uid, webhook)).await?;
        let (_, webhook) = self.listener.address("pull_bank_feed");
        self.make(connector.pull_bank_feed(uid).webhook(webhook)).await?;
        Ok(())
    }

    /// Awaits a call and records its status and time. An error ends the tour.
    async fn make<R: Request>(&mut self, call: Call<R>) -> Result<Reply, String> {
        let started = Instant::now();
        let result = call.await;
        let calls = self.report.entry(R::OPERATION.id).or_default();
        calls.time += started.elapsed();
        let status = match &result {
            Ok(reply) => Some(reply.status()),
            Err(error) => error.status(),
        };
        if let Some(status) = status {
            *calls.statuses.entry(status.as_u16()).or_default() += 1;
        }
        result.map_err(|error| {
            let mut text = error.to_string();
            let mut cause = error.source();
            while let Some(error) = cause {
                text += &format!(": {error}");
                cause = error.source();
            }
            match error.message() {
                Some(message) => format!("{text} ({message})"),
                None => text,
            }
        })
    }
}
