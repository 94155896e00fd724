//! Exact totals by category and currency.

use std::collections::BTreeMap;

use business_data_connector::{
    Decimal,
    types::{ExpenseRecord, IncomeRecord, SaleRecord, SettlementEntry},
};
use business_data_connector_sandbox::Record;

use crate::ledger::Ledger;

/// Totals by category and currency.
#[derive(Default, PartialEq)]
pub struct Totals(pub BTreeMap<(&'static str, String), rust_decimal::Decimal>);

impl Totals {
    pub fn of_ledger(ledger: &Ledger) -> Result<Self, String> {
        let mut totals = Self::default();
        ledger.sales.iter().try_for_each(|sale| totals.sale(sale))?;
        ledger.income.iter().try_for_each(|income| totals.income(income))?;
        ledger.expenses.iter().try_for_each(|expense| totals.expense(expense))?;
        ledger.settlements.iter().try_for_each(|entry| totals.settlement(entry))?;
        Ok(totals)
    }

    /// The totals of the records that the sandbox holds, except those that no ledger has, such as subscriptions.
    pub fn of_records(records: &[Record]) -> Result<Self, String> {
        let mut totals = Self::default();
        for record in records {
            let unreadable = |e| format!("the sandbox holds a {} that cannot be read: {e}", record.record_type());
            match record.record_type() {
                "SaleRecord" => totals.sale(&record.json().map_err(unreadable)?)?,
                "IncomeRecord" => totals.income(&record.json().map_err(unreadable)?)?,
                "ExpenseRecord" => totals.expense(&record.json().map_err(unreadable)?)?,
                "SettlementEntry" => totals.settlement(&record.json().map_err(unreadable)?)?,
                _ => {}
            }
        }
        Ok(totals)
    }

    fn sale(&mut self, sale: &SaleRecord) -> Result<(), String> {
        let payment = sale.payment.as_ref();
        let currency = payment.and_then(|payment| payment.currency.as_deref());
        self.add("payments", currency, payment.and_then(|payment| payment.amount))
    }

    fn income(&mut self, income: &IncomeRecord) -> Result<(), String> {
        self.add("income", income.currency.as_deref(), income.amount)
    }

    fn expense(&mut self, expense: &ExpenseRecord) -> Result<(), String> {
        self.add("expenses", expense.currency.as_deref(), expense.amount)
    }

    /// A settlement takes its currency from its lines, since it has none itself.
    fn settlement(&mut self, entry: &SettlementEntry) -> Result<(), String> {
        let income = entry.income.iter().flatten().map(|line| &line.currency);
        let expenses = entry.expenses.iter().flatten().map(|line| &line.currency);
        let currency = income.chain(expenses).find_map(|currency| currency.as_deref());
        self.add("settlements", currency, entry.settlement.as_ref().and_then(|settlement| settlement.amount))
    }

    fn add(&mut self, category: &'static str, currency: Option<&str>, amount: Option<Decimal>) -> Result<(), String> {
        let amount = amount.unwrap_or_default().into();
        let sum = self.0.entry((category, currency.unwrap_or("-").to_owned())).or_default();
        *sum = sum.checked_add(amount).ok_or_else(|| format!("the total of all {category} is out of range"))?;
        Ok(())
    }
}
