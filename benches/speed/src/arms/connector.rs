use anyhow::Result;
use business_data_connector::{
    Decimal,
    types::{IncomeRecord, ManyRecords},
};

use super::Arm;
use crate::case::{APIKEY, APPID, TIMEOUT, UID, cents, texts};

/// The connector as it is built by default, without TLS.
pub struct Connector(business_data_connector::Connector);

impl Arm for Connector {
    type Record = IncomeRecord;

    fn new(base_url: &str) -> Result<Self> {
        let builder = business_data_connector::Connector::builder().base_url(base_url).timeout(TIMEOUT);
        Ok(Self(builder.credentials(APIKEY, APPID).build()?))
    }

    fn record(number: usize) -> Result<IncomeRecord> {
        let [category, currency, date, feeid, id, name, notes, productid] = texts(number);
        let [amount, vat] = cents(number).map(|cents| format!("{}.{:02}", cents / 100, cents % 100));
        let (amount, vat): (Decimal, Decimal) = (amount.parse()?, vat.parse()?);
        let record = IncomeRecord::new().amount(amount).category(category).currency(currency).date(date);
        Ok(record.feeid(feeid).id(id).name(name).notes(notes).productid(productid).vat(vat))
    }

    async fn push_income(&self, record: IncomeRecord) -> Result<()> {
        self.0.push_income(UID, record).await?;
        Ok(())
    }

    async fn push_many(&self, records: Vec<IncomeRecord>) -> Result<()> {
        self.0.push_many(UID, ManyRecords::new().income(records)).await?;
        Ok(())
    }
}
