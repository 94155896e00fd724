use anyhow::Result;
use reqwest::redirect::Policy;

use self::generated::{
    Client,
    types::{IncomeRecord, ManyRecords, PushIncomeRequest, PushManyRequest},
};
use super::Arm;
use crate::case::{APIKEY, APPID, TIMEOUT, UID, cents, texts};

/// What progenitor makes of the document when nothing is set.
#[allow(clippy::all, clippy::unwrap_used, dead_code, missing_docs, unused_imports, reason = "it is generated")]
mod generated {
    include!(concat!(env!("OUT_DIR"), "/progenitor.rs"));
}

/// The client that progenitor generates by default, with `f64` for money.
pub struct Progenitor(Client);

impl Arm for Progenitor {
    type Record = IncomeRecord;

    fn new(base_url: &str) -> Result<Self> {
        let client = reqwest::Client::builder().timeout(TIMEOUT).redirect(Policy::none()).no_proxy().build()?;
        Ok(Self(Client::new_with_client(base_url, client)))
    }

    fn record(number: usize) -> Result<IncomeRecord> {
        let [category, currency, date, feeid, id, name, notes, productid] = texts(number).map(Some);
        let [amount, vat] = cents(number).map(|cents| Some(f64::from(cents) / 100.0));
        Ok(IncomeRecord { amount, category, currency, date, feeid, id, name, notes, productid, vat })
    }

    async fn push_income(&self, data: IncomeRecord) -> Result<()> {
        let (apikey, appid, uid) = (APIKEY.to_owned(), APPID.to_owned(), UID.to_owned());
        self.0.push_income(&PushIncomeRequest { apikey, appid, data, uid, signature: None, webhook: None }).await?;
        Ok(())
    }

    async fn push_many(&self, income: Vec<IncomeRecord>) -> Result<()> {
        let (apikey, appid, uid) = (APIKEY.to_owned(), APPID.to_owned(), UID.to_owned());
        let data = ManyRecords { income, expenses: Vec::new() };
        self.0.push_many(&PushManyRequest { apikey, appid, data, uid, signature: None, webhook: None }).await?;
        Ok(())
    }
}
