use anyhow::{Result, ensure};
use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::{Request, header::CONTENT_TYPE};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};
use serde::Serialize;
use tokio::time::timeout;

use super::{
    Arm,
    by_hand::{Body, Many, Record},
};
use crate::case::TIMEOUT;

/// hyper's client with connections that are kept: the least that a call can cost.
pub struct Hyper {
    base_url: String,
    client: Client<HttpConnector, Full<Bytes>>,
}

impl Hyper {
    async fn post<D: Serialize>(&self, path: &str, body: Body<'_, D>) -> Result<()> {
        let request = Request::post(format!("{}{path}", self.base_url))
            .header(CONTENT_TYPE, "application/json")
            .body(Full::from(serde_json::to_vec(&body)?))?;
        let status = timeout(TIMEOUT, async {
            let reply = self.client.request(request).await?;
            let status = reply.status();
            reply.into_body().collect().await?;
            Ok::<_, anyhow::Error>(status)
        })
        .await??;
        ensure!(status.is_success(), "{status}");
        Ok(())
    }
}

impl Arm for Hyper {
    type Record = Record;

    fn new(base_url: &str) -> Result<Self> {
        Ok(Self { base_url: base_url.to_owned(), client: Client::builder(TokioExecutor::new()).build_http() })
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
