//! A sandbox to look at: accepted and refused requests, faults, and callbacks in each state.

use std::sync::{
    Arc,
    atomic::{AtomicU32, Ordering},
};

use axum::{Router, http::StatusCode, routing::post};
use business_data_connector::{
    Connector, Decimal, RetryPolicy,
    types::{BusinessData, ExpenseRecord, IncomeRecord},
};
use business_data_connector_sandbox::{CallbackState, DEMO_BUSINESS, Sandbox};

use crate::support::{TestResult, builder, raw, serve};

/// A body with three mistakes: a misspelt key, an amount as text, and an unknown key with `/` and `~` in its name.
pub const MISTAKES: &str = r#"{"apikey":"demo-apikey","appid":"demo-appid","UID":"demo-business","data":{"id":"<b>INV-9</b>","amount":"19.99","lines":[{"a/b~c":1}]}}"#;

pub async fn filled() -> TestResult<(Sandbox, Connector)> {
    let sandbox = Sandbox::builder().clock("10000x".parse()?).start().await?;
    let connector = builder(&sandbox).retry_policy(RetryPolicy::never()).build()?;
    let income = |id: &str, currency: &str, amount: &str| -> TestResult<IncomeRecord> {
        let amount: Decimal = amount.parse()?;
        Ok(IncomeRecord::new().id(id).currency(currency).amount(amount))
    };
    connector.push_business_update(DEMO_BUSINESS, BusinessData::new().businessname("Café Ubuntu").region("ZA")).await?;
    for (id, currency, amount) in [
        ("INV-1", "ZAR", "0.10"),
        ("INV-2", "ZAR", "0.20"),
        ("INV-3", "EUR", "9007199254740993.10"),
        ("INV-4", "EUR", "-0.05"),
    ] {
        connector.push_income(DEMO_BUSINESS, income(id, currency, amount)?).await?;
    }
    let rent: Decimal = "1200".parse()?;
    connector.push_expense(DEMO_BUSINESS, ExpenseRecord::new().id("EXP-1").currency("ZAR").amount(rent)).await?;
    assert!(connector.push_income("nobody", IncomeRecord::new()).await.is_err());
    let fault = income("INV-5", "ZAR", "1")?.notes("sandbox:504-after");
    assert!(connector.push_income(DEMO_BUSINESS, fault).await.is_err());
    let fault = income("INV-6", "ZAR", "1")?.notes("sandbox:503=30");
    assert!(connector.push_income(DEMO_BUSINESS, fault).await.is_err());
    let url = format!("{}/api/push/income", sandbox.base_url());
    raw("POST", &url, "application/json", MISTAKES).await?;
    raw("POST", &url, "application/json", &MISTAKES.replace("UID", "uid")).await?;
    fill_callbacks(&sandbox, &connector).await?;
    Ok((sandbox, connector))
}

/// A callback that is delivered with the second attempt, one that is discarded, and one that is late.
async fn fill_callbacks(sandbox: &Sandbox, connector: &Connector) -> TestResult {
    let attempts = Arc::new(AtomicU32::new(0));
    let receive = move || {
        let first = attempts.fetch_add(1, Ordering::Relaxed) == 0;
        async move { if first { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::OK } }
    };
    let url = serve(Router::new().route("/hook", post(receive))).await?;
    connector.pull_income(DEMO_BUSINESS, format!("{url}/hook?token=t")).await?;
    connector.pull_expenses(DEMO_BUSINESS, "https://example.com/hook").await?;
    let late = IncomeRecord::new().id("INV-7").notes("sandbox:callback-late=3600000000");
    connector.push_income(DEMO_BUSINESS, late).webhook(format!("{url}/late")).await?;
    // Until both have ended: their waits are shortened to seconds.
    let ended = |sandbox: &Sandbox| -> TestResult<bool> {
        let callbacks = sandbox.callbacks()?;
        Ok(callbacks[0].state == CallbackState::Delivered && callbacks[1].state == CallbackState::Discarded)
    };
    while !ended(sandbox)? {
        tokio::task::yield_now().await;
    }
    Ok(())
}
