use anyhow::{Result, ensure};
use reqwest::{Client, redirect::Policy};
use serde::Serialize;

use super::{
    Arm,
    by_hand::{Body, Many, Record},
};
use crate::case::TIMEOUT;

/// reqwest, with what a careful user sets: a timeout, no redirects, the reply read to its end.
pub struct Reqwest {
    base_url: String,
    client: Client,
}

impl Reqwest {
    async fn post<D: Serialize>(&self, path: &str, body: Body<'_, D>) -> Result<()> {
        let reply = self.client.post(format!("{}{path}", self.base_url)).json(&body).send().await?;
        let status = reply.status();
        reply.bytes().await?;
        ensure!(status.is_success(), "{status}");
        Ok(())
    }
}

impl Arm for Reqwest {
    type Record = Record;

    fn new(base_url: &str) -> Result<Self> {
        let client = Client::builder().timeout(TIMEOUT).redirect(Policy::none()).no_proxy().build()?;
        Ok(Self { base_url: base_url.to_owned(), client })
    }

    fn record(number: usize) -> Result<Record> {
        Ok(Record::new(number))
    }

    async fn push_income(&self, record: Record) -> Result<()> {
        self.post("/api/push/income", Body::new(record)).await
    }

    async fn push_many(&self, income: Vec<Record>) -> Result<()> {
        self.post("/api/push/many", Body::new(Many { income })).await
    }
}
