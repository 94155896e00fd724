//! The amount of a request.

use business_data_connector::{
    Decimal,
    types::{PushExpenseRequest, PushIncomeRequest, PushSaleRequest},
};

/// The currency and the amount; none for what has no single amount, such as a settlement.
pub fn of_request(operation: &str, request: &str) -> Result<Option<(String, Decimal)>, serde_json::Error> {
    let (currency, amount) = match operation {
        "push_income" => {
            let record = serde_json::from_str::<PushIncomeRequest>(request)?.data;
            (record.currency.clone(), record.amount)
        }
        "push_expense" => {
            let record = serde_json::from_str::<PushExpenseRequest>(request)?.data;
            (record.currency.clone(), record.amount)
        }
        "push_sale" => {
            let payment = serde_json::from_str::<PushSaleRequest>(request)?.data.payment.clone();
            payment.map_or((None, None), |payment| (payment.currency.clone(), payment.amount))
        }
        _ => return Ok(None),
    };
    Ok(amount.map(|amount| (currency.unwrap_or_default(), amount)))
}
