//! Adds records to an outbox.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;

use crate::{
    figures::{Begun, Figures},
    setting::{Records, Store},
};

#[derive(Args)]
pub struct Options {
    #[arg(long)]
    folder: PathBuf,
    #[command(flatten)]
    store: Store,
    #[command(flatten)]
    records: Records,
}

pub async fn run(options: Options) -> Result<Figures> {
    let outbox = options.store.open(&options.folder).await?;
    let begun = Begun::now();
    for uid in &options.records.uids {
        outbox.enqueue_all(uid, options.records.of_a_business()).await?;
    }
    begun.figures(begun.elapsed())
}
