//! The same batches with the connector alone, and the same callbacks to the same kind of inbox.

use std::{sync::Arc, time::Duration};

use anyhow::Result;
use business_data_connector::types::{IncomeRecord, ManyRecords, PushManyRequest};
use clap::Args;
use tokio::{task::JoinSet, time::sleep};

use crate::{
    figures::{Begun, Figures},
    setting::{Records, Service},
};

/// How many records an outbox sends in one request.
const BATCH: usize = 100;

#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    service: Service,
    #[command(flatten)]
    records: Records,
}

pub async fn run(options: Options) -> Result<Figures> {
    let (connector, inbox) = (options.service.connector()?, options.service.inbox().await?);
    let all: Arc<[IncomeRecord]> = options.records.of_a_business().collect();
    let begun = Begun::now();
    let mut tasks = JoinSet::new();
    for uid in options.records.uids {
        let (connector, inbox, all) = (connector.clone(), inbox.clone(), all.clone());
        tasks.spawn(async move {
            let mut sent = 0;
            for batch in all.chunks(BATCH) {
                let mut request = PushManyRequest::new(uid.as_str(), ManyRecords::new().income(batch.to_vec()));
                inbox.endpoint().attach(&mut request)?;
                connector.send(request).await?;
                sent += 1;
            }
            Ok::<u64, business_data_connector::Error>(sent)
        });
    }
    let mut sent = 0;
    while let Some(task) = tasks.join_next().await {
        sent += task??;
    }
    let answered = begun.elapsed();
    while inbox.counts().new < sent {
        sleep(Duration::from_millis(5)).await;
    }
    begun.figures(answered)
}
