//! Faults after which a client cannot know whether its request was stored.

mod support;

use business_data_connector::{RetryPolicy, types::IncomeRecord};
use business_data_connector_sandbox::{DEMO_BUSINESS, Sandbox};
use support::{TestResult, builder, receiver};

#[tokio::test]
async fn a_server_error_after_storing_leaves_one_record_and_its_callback() -> TestResult {
    for (fault, status) in [("500-after", 500), ("502-after", 502), ("504-after", 504)] {
        let sandbox = Sandbox::start().await?;
        let connector = builder(&sandbox).retry_policy(RetryPolicy::never()).build()?;
        let (webhook, mut callbacks) = receiver().await?;
        let record = IncomeRecord::new().id("A").notes(format!("sandbox:{fault}"));
        let error = connector.push_income(DEMO_BUSINESS, record).webhook(webhook).await.err().ok_or(fault)?;
        assert_eq!(error.status().map(|got| got.as_u16()), Some(status), "{error:?}");
        let reply = error.reply().ok_or("no reply")?;
        assert_eq!(reply.text().starts_with("<html>"), status != 500, "{fault}: {}", reply.text());
        assert_eq!(sandbox.records(DEMO_BUSINESS)?.len(), 1, "{fault}");
        assert_eq!(callbacks.recv().await.ok_or("no callback")?["status"], "success");
        let logged = sandbox.requests().pop().ok_or("not logged")?;
        assert_eq!((logged.status, logged.fault.map(|f| f.to_string()).as_deref()), (Some(status), Some(fault)));
    }
    Ok(())
}

#[tokio::test]
async fn an_invalid_request_is_refused_and_not_answered_with_a_fault_after_storing() -> TestResult {
    let sandbox = Sandbox::start().await?;
    let call = builder(&sandbox).build()?;
    let error = call.push_income("nobody", IncomeRecord::new().notes("sandbox:504-after")).await.err();
    assert_eq!(error.and_then(|error| error.status()).map(|status| status.as_u16()), Some(400));
    Ok(())
}

#[tokio::test]
async fn an_unavailable_service_stores_nothing_and_says_when_to_retry() -> TestResult {
    let sandbox = Sandbox::start().await?;
    let connector = builder(&sandbox).retry_policy(RetryPolicy::never()).build()?;
    for (fault, seconds) in [("503", "1"), ("503=7", "7")] {
        let record = IncomeRecord::new().notes(format!("sandbox:{fault}"));
        let error = connector.push_income(DEMO_BUSINESS, record).await.err().ok_or(fault)?;
        assert_eq!(error.status().map(|got| got.as_u16()), Some(503), "{error:?}");
        assert_eq!(error.reply().ok_or("no reply")?.headers()["retry-after"], seconds);
    }
    assert!(sandbox.records(DEMO_BUSINESS)?.is_empty());
    Ok(())
}
