//! Pushes records with a webhook to a sandbox, and receives a callback for each request.

use std::{convert::Infallible, net::SocketAddr, sync::Arc};

use anyhow::{Context, Result, ensure};
use business_data_connector::types::ManyRecords;
use bytes::Bytes;
use clap::Parser;
use futures_util::future::try_join_all;
use http_body_util::{BodyExt, Empty};
use hyper::{Request, Response, body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use speed::{
    arms::{Arm, Connector},
    case::{APIKEY, APPID, TIMEOUT, UID},
};
use tokio::{net::TcpListener, sync::Semaphore};

#[derive(Parser)]
struct Options {
    /// Number of the first record
    from: usize,
    /// Number of the record after the last
    to: usize,
    /// How many records each request has
    batch: usize,
    /// Address of the sandbox
    base_url: String,
}

/// How many requests are under way at once.
const IN_FLIGHT: usize = 8;

/// How many requests may wait for their callback. More would measure how fast a queue grows.
const AWAITED: u32 = 64;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let Options { from, to, batch, base_url } = Options::parse();
    ensure!(batch > 0 && (to - from) % batch == 0, "the number of records is no multiple of the batch");
    let callbacks = Arc::new(Semaphore::new(AWAITED as usize));
    let listener = TcpListener::bind(SocketAddr::from(([127, 0, 0, 1], 0))).await?;
    let webhook = format!("http://{}/", listener.local_addr()?);
    tokio::spawn(receive(listener, callbacks.clone()));

    let builder = business_data_connector::Connector::builder().base_url(base_url).timeout(TIMEOUT);
    let connector = builder.credentials(APIKEY, APPID).build()?;
    let starts: Vec<_> = (from..to).step_by(batch).collect();
    let (connector, callbacks, webhook, starts) = (&connector, &*callbacks, &webhook, &starts);
    try_join_all((0..IN_FLIGHT).map(|worker| async move {
        for start in starts.iter().skip(worker).step_by(IN_FLIGHT) {
            // Its callback gives it back.
            callbacks.acquire().await?.forget();
            let mut records = (*start..start + batch).map(Connector::record).collect::<Result<Vec<_>>>()?;
            if batch == 1 {
                let record = records.pop().context("there is no record")?;
                connector.push_income(UID, record).webhook(webhook).await?;
            } else {
                connector.push_many(UID, ManyRecords::new().income(records)).webhook(webhook).await?;
            }
        }
        Ok::<_, anyhow::Error>(())
    }))
    .await?;
    let _ = callbacks.acquire_many(AWAITED).await?;
    Ok(())
}

async fn receive(listener: TcpListener, callbacks: Arc<Semaphore>) -> Result<()> {
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let callbacks = callbacks.clone();
        let reply = move |request: Request<Incoming>| {
            let callbacks = callbacks.clone();
            async move {
                let _ = request.into_body().collect().await;
                callbacks.add_permits(1);
                Ok::<Response<Empty<Bytes>>, Infallible>(Response::new(Empty::new()))
            }
        };
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service_fn(reply)));
    }
}
