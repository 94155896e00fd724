//! Reads a ledger strictly: an unknown key is an error, since it would not be sent.

use std::{error::Error, path::Path};

use business_data_connector::{
    strict,
    types::{
        BusinessData, ExpenseRecord, IncomeRecord, PushExpenseRequest, PushIncomeRequest, PushSaleRequest,
        PushSettlementRequest, SaleRecord, SettlementEntry,
    },
};
use business_data_connector_outbox::Staged;
use serde::{Deserialize, de::DeserializeOwned};

#[derive(Clone, Copy, clap::ValueEnum)]
pub enum Kind {
    Income,
    Expenses,
}

#[derive(Deserialize)]
struct Ledger {
    /// Of the business that the records belong to, which exists here.
    #[serde(default)]
    #[allow(dead_code, reason = "a ledger may have it")]
    business: Option<BusinessData>,
    #[serde(default)]
    sales: Vec<SaleRecord>,
    #[serde(default)]
    income: Vec<IncomeRecord>,
    #[serde(default)]
    expenses: Vec<ExpenseRecord>,
    #[serde(default)]
    settlements: Vec<SettlementEntry>,
}

/// The requests for a ledger.
pub fn read(file: &Path, kind: Kind, uid: &str) -> Result<Vec<Staged>, Box<dyn Error>> {
    let named = |error: Box<dyn Error>| format!("{} was not sent: {error}", file.display());
    let staged = if file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv")) {
        match kind {
            Kind::Income => rows(file).and_then(|rows| {
                staged(rows, |record: IncomeRecord| Staged::new(&PushIncomeRequest::new(uid, record)))
            }),
            Kind::Expenses => rows(file).and_then(|rows| {
                staged(rows, |record: ExpenseRecord| Staged::new(&PushExpenseRequest::new(uid, record)))
            }),
        }
    } else {
        json(file, uid)
    };
    Ok(staged.map_err(named)?)
}

fn json(file: &Path, uid: &str) -> Result<Vec<Staged>, Box<dyn Error>> {
    let ledger: Ledger = strict::from_str(&std::fs::read_to_string(file)?)?;
    let mut all = staged(ledger.income, |record| Staged::new(&PushIncomeRequest::new(uid, record)))?;
    all.extend(staged(ledger.expenses, |record| Staged::new(&PushExpenseRequest::new(uid, record)))?);
    all.extend(staged(ledger.sales, |record| Staged::new(&PushSaleRequest::new(uid, record)))?);
    // A settlement has no `id` of its own, so that its place in the ledger identifies it.
    let numbered = ledger.settlements.into_iter().enumerate().collect();
    all.extend(staged(numbered, |(number, entry)| {
        let request = PushSettlementRequest::new(uid, vec![entry]);
        Staged::new(&request).map(|staged| staged.keyed(format!("settlement-{}", number + 1)))
    })?);
    Ok(all)
}

fn rows<T: DeserializeOwned>(file: &Path) -> Result<Vec<T>, Box<dyn Error>> {
    let mut reader = csv::Reader::from_path(file)?;
    strict::columns::<T>(reader.headers()?)?;
    Ok(reader.deserialize().collect::<Result<_, _>>()?)
}

fn staged<T, E: Error + 'static>(
    records: Vec<T>,
    stage: impl Fn(T) -> Result<Staged, E>,
) -> Result<Vec<Staged>, Box<dyn Error>> {
    let numbered = records.into_iter().zip(1..);
    let staged =
        numbered.map(|(record, number)| stage(record).map_err(|error| format!("record {number}: {error}").into()));
    staged.collect()
}
