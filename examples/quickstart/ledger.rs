//! The ledger to push: records in the types of the interface.

use std::{fs, path::Path};

use business_data_connector::{
    strict,
    types::{BusinessData, ExpenseRecord, IncomeRecord, SaleRecord, SettlementEntry},
};
use serde::Deserialize;

/// A ledger, as it is stored in a file.
#[derive(Deserialize)]
pub struct Ledger {
    pub business: BusinessData,
    #[serde(default)]
    pub sales: Vec<SaleRecord>,
    #[serde(default)]
    pub income: Vec<IncomeRecord>,
    #[serde(default)]
    pub expenses: Vec<ExpenseRecord>,
    #[serde(default)]
    pub settlements: Vec<SettlementEntry>,
}

impl Ledger {
    /// Reads a ledger. A field that its record does not have is an error, since it would not be pushed.
    pub fn read(path: &Path) -> Result<Self, String> {
        let text = fs::read_to_string(path).map_err(|e| format!("cannot read the ledger {}: {e}", path.display()))?;
        Self::parse(&text)
            .map_err(|e| format!("the ledger {} is not usable, and nothing was pushed: {e}", path.display()))
    }

    pub fn parse(text: &str) -> Result<Self, strict::Error> {
        strict::from_str(text)
    }

    /// How many records are to be pushed.
    pub fn len(&self) -> usize {
        self.sales.len() + self.income.len() + self.expenses.len() + self.settlements.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(text: &str) -> String {
        Ledger::parse(text).map(|_| ()).unwrap_err().to_string()
    }

    #[test]
    fn an_unknown_field_is_reported_with_its_path() {
        let misspelt = r#"{"business":{},"sales":[{},{"payment":{"ammount":5}}]}"#;
        assert_eq!(
            problem(misspelt),
            "unknown key `ammount` at /sales/1/payment/ammount (line 1); did you mean `amount`?"
        );
        assert!(problem(r#"{"business":{},"incomes":[]}"#).contains("did you mean `income`?"));
    }

    #[test]
    fn an_amount_that_cannot_be_represented_exactly_is_an_error() {
        for amount in ["1e400", "0.00000000000000000000000000001", r#""5""#] {
            assert!(
                problem(&format!(r#"{{"business":{{}},"income":[{{"amount":{amount}}}]}}"#)).contains("line 1"),
                "{amount}"
            );
        }
    }

    #[test]
    fn every_record_of_the_ledger_of_the_example_is_read() {
        let ledger = Ledger::parse(include_str!("../ledger.json")).unwrap();
        assert_eq!(ledger.len(), 36);
    }
}
