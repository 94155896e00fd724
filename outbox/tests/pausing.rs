//! What stops a worker for a time, and what does not.

mod support;

use business_data_connector::types::{IncomeRecord, PushIncomeRequest, PushResetRequest, PushSaleRequest, SaleRecord};
use business_data_connector_outbox::{Counts, OutboxError, State};
use business_data_connector_sandbox::{Fault, FaultRule, Sandbox};
use support::{TestResult, UID, all, connector, deaf_inbox, eager, inbox, outbox, until};

fn income(id: &str) -> IncomeRecord {
    IncomeRecord::new().id(id)
}

#[tokio::test]
async fn too_many_requests_pause_everything_for_as_long_as_the_service_says() -> TestResult {
    let (folder, sandbox) = (tempfile::tempdir()?, Sandbox::start().await?);
    let outbox = outbox(folder.path()).await;
    sandbox.add_fault(FaultRule::new(Fault::TooManyRequests(1)).times(1))?;
    outbox.enqueue_all(UID, [income("INV-1")]).await?;
    let mut events = outbox.events();
    let worker = eager(&outbox, &sandbox, inbox(folder.path()).await).run().await?;
    while events.recv().await?.to != State::Queued {}
    let pauses = outbox.pauses().await?;
    assert!(pauses[0].until.is_some() && pauses[0].uid.is_none(), "{pauses:?}");
    until(&outbox, all(State::Confirmed)).await;
    worker.stop().await;
    assert_eq!(outbox.outcome(UID, "INV-1").await?.unwrap().attempts, 2);
    Ok(())
}

#[tokio::test]
async fn credentials_that_are_not_accepted_pause_everything_until_a_person_resumes() -> TestResult {
    let (folder, sandbox) = (tempfile::tempdir()?, Sandbox::start().await?);
    let outbox = outbox(folder.path()).await;
    sandbox.add_fault(FaultRule::new(Fault::Unauthorized).times(1))?;
    outbox.enqueue_all(UID, [income("INV-1")]).await?;
    let mut events = outbox.events();
    let worker = eager(&outbox, &sandbox, inbox(folder.path()).await).run().await?;
    while events.recv().await?.to != State::Queued {}
    assert_eq!(outbox.pauses().await?[0].until, None);
    assert!(outbox.resume(None).await?);
    until(&outbox, all(State::Confirmed)).await;
    assert!(!outbox.resume(None).await?);
    worker.stop().await;
    Ok(())
}

#[tokio::test]
async fn a_business_that_fails_does_not_stop_another_one() -> TestResult {
    let (folder, sandbox) = (tempfile::tempdir()?, Sandbox::start().await?);
    let outbox = outbox(folder.path()).await;
    outbox.pause(Some("another-business"), "asked for by its owner").await?;
    outbox.enqueue(&PushIncomeRequest::new("another-business", income("INV-1"))).await?;
    outbox.enqueue(&PushIncomeRequest::new(UID, income("INV-1"))).await?;
    let worker = eager(&outbox, &sandbox, inbox(folder.path()).await).run().await?;
    until(&outbox, |counts: &Counts| counts.get(State::Confirmed) == 1).await;
    assert_eq!(outbox.outcome("another-business", "INV-1").await?.unwrap().state, State::Queued);
    assert!(outbox.resume(Some("another-business")).await?);
    until(&outbox, |counts: &Counts| counts.get(State::Queued) + counts.get(State::Sending) == 0).await;
    worker.stop().await;
    Ok(())
}

#[tokio::test]
async fn a_reset_waits_until_the_fate_of_what_is_before_it_is_known() -> TestResult {
    let (folder, sandbox) = (tempfile::tempdir()?, Sandbox::start().await?);
    let outbox = outbox(folder.path()).await;
    sandbox.add_fault(FaultRule::new(Fault::ResetAfter).operation("push_sale").times(1))?;
    outbox.enqueue(&PushSaleRequest::new(UID, SaleRecord::new().id("SALE-1"))).await?;
    outbox.enqueue(&PushResetRequest::new(UID)).await?;
    outbox.enqueue(&PushIncomeRequest::new(UID, income("INV-1"))).await?;
    let inbox = deaf_inbox(folder.path(), "push_sale").await;
    let worker = eager(&outbox, &sandbox, inbox).run().await?;
    until(&outbox, |counts: &Counts| counts.get(State::Unknown) == 1).await;
    // Another business is served meanwhile, so the reset had its chance.
    outbox.enqueue(&PushIncomeRequest::new("another-business", income("INV-2"))).await?;
    until(&outbox, |counts: &Counts| counts.get(State::Queued) == 2 && counts.under_way() == 2).await;
    let number = outbox.outcome(UID, "SALE-1").await?.unwrap().number;
    outbox.accept(number, "Ada", "the service has it").await?;
    until(&outbox, |counts: &Counts| counts.get(State::Queued) == 0 && counts.under_way() == 0).await;
    worker.stop().await;
    assert_eq!(sandbox.records(UID)?.len(), 1, "the income came after the reset");
    Ok(())
}

#[tokio::test]
async fn one_worker_at_a_time_sends_from_a_file() -> TestResult {
    let (folder, sandbox) = (tempfile::tempdir()?, Sandbox::start().await?);
    let outbox = outbox(folder.path()).await;
    let inbox = inbox(folder.path()).await;
    let worker = eager(&outbox, &sandbox, inbox.clone()).run().await?;
    let second = outbox.worker(connector(&sandbox), inbox.clone()).run().await;
    assert!(matches!(second.unwrap_err(), OutboxError::Locked { .. }));
    worker.stop().await;
    outbox.worker(connector(&sandbox), inbox).run().await?.stop().await;
    Ok(())
}
