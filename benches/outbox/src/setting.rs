//! What every measurement begins with.

use std::{
    net::TcpListener,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use business_data_connector::{
    Connector, Decimal,
    callback::CallbackKey,
    inbox::{Inbox, SqliteStore, Synchronous},
    types::{BusinessData, IncomeRecord},
};
use business_data_connector_outbox::Outbox;
use business_data_connector_sandbox::{DEMO_APIKEY, DEMO_APPID, DEMO_HEADER_KEY};
use clap::Args;

use crate::cluster;

/// As many as an outbox serves at the same time.
const BUSINESSES: usize = 8;

#[derive(Args)]
pub struct Service {
    /// Address of the sandbox
    #[arg(long)]
    sandbox: String,
    /// The folder of the outbox and of the callbacks
    #[arg(long)]
    folder: PathBuf,
}

/// Where the outbox is.
#[derive(Args)]
pub struct Store {
    /// Keep it in this PostgreSQL database, and not in a file
    #[arg(long)]
    postgres: Option<String>,
}

impl Store {
    pub async fn open(&self, folder: &Path) -> Result<Outbox> {
        Ok(match &self.postgres {
            Some(address) => Outbox::postgres(cluster::pool(address)).await?,
            None => Outbox::sqlite(folder.join("outbox.db")).await?,
        })
    }
}

/// Records, divided between businesses.
#[derive(Args)]
pub struct Records {
    #[arg(long)]
    records: u64,
    /// The identifiers that `businesses` printed
    #[arg(long, value_delimiter = ',', required = true)]
    pub uids: Vec<String>,
}

impl Records {
    /// Those of one business.
    pub fn of_a_business(&self) -> impl Iterator<Item = IncomeRecord> + use<> {
        (0..self.records / self.uids.len() as u64).map(income)
    }
}

pub fn income(number: u64) -> IncomeRecord {
    let record = IncomeRecord::new().id(format!("INV-{number}")).currency("ZAR").date("2026-03-31");
    record.name("A customer of the shop").category("Sales").amount(Decimal::from(number))
}

impl Service {
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn connector(&self) -> Result<Connector> {
        let builder = Connector::builder().base_url(&self.sandbox).credentials(DEMO_APIKEY, DEMO_APPID);
        Ok(builder.header_key(DEMO_HEADER_KEY).build()?)
    }

    /// An inbox that stores its callbacks as durably as the outbox does.
    pub async fn inbox(&self) -> Result<Inbox> {
        let store = SqliteStore::open_with(self.folder.join("callbacks.db"), Synchronous::Full)?;
        let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
        let key = CallbackKey::new(1, b"32 bytes that the programs share")?;
        Ok(Inbox::builder(&format!("http://{address}"), key).store(store).bind(address).await?)
    }
}

pub async fn add_businesses(service: &Service) -> Result<()> {
    let (connector, inbox) = (service.connector()?, service.inbox().await?);
    for number in 0..BUSINESSES {
        let data = BusinessData::new().businessname(format!("Shop {number}")).email(format!("{number}@example.com"));
        let created = connector.awaiting(&inbox).push_business(data.firstname("A").lastname("B")).await?;
        let uid = created.response().ok().and_then(|response| response.uid);
        println!("{}", uid.context("the sandbox named no business")?);
    }
    Ok(())
}
