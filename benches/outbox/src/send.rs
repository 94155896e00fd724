//! Sends what is in an outbox.

use std::time::Duration;

use anyhow::{Result, bail};
use business_data_connector_outbox::{Outbox, State};
use clap::Args;
use tokio::{
    sync::broadcast::error::RecvError,
    time::{MissedTickBehavior, interval},
};

use crate::{
    figures::{Begun, Figures},
    setting::{Service, Store},
};

#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    service: Service,
    #[command(flatten)]
    store: Store,
}

pub async fn run(options: Options) -> Result<Figures> {
    let outbox = options.store.open(options.service.folder()).await?;
    let (connector, inbox) = (options.service.connector()?, options.service.inbox().await?);
    let mut events = outbox.events();
    let begun = Begun::now();
    let worker = outbox.worker(connector, inbox).run().await?;
    let mut tick = interval(Duration::from_millis(50));
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    // The time of the last answer is that of an event: how often the counts are read does not matter to it.
    let mut answered = Duration::ZERO;
    loop {
        tokio::select! {
            event = events.recv() => match event {
                Ok(event) if event.from == State::Sending => answered = begun.elapsed(),
                Ok(_) | Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => bail!("the outbox was closed"),
            },
            _ = tick.tick() => if all_confirmed(&outbox).await? { break },
        }
    }
    let figures = begun.figures(answered)?;
    worker.stop().await;
    Ok(figures)
}

async fn all_confirmed(outbox: &Outbox) -> Result<bool> {
    let counts = outbox.counts().await?;
    let (confirmed, total) = (counts.get(State::Confirmed), counts.total());
    if counts.under_way() == 0 && confirmed < total {
        bail!("{} of {total} records were not confirmed:\n{counts}", total - confirmed);
    }
    Ok(confirmed == total)
}
