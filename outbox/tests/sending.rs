//! Requests from the outbox to the sandbox, and their outcomes back.

#![allow(clippy::unwrap_used, reason = "the helpers of a test may fail it, as the test may")]

mod support;

use business_data_connector::types::{
    BusinessData, ExpenseRecord, IncomeRecord, PushBusinessRequest, PushIncomeRequest, PushResetRequest,
    PushSaleRequest, SaleRecord,
};
use business_data_connector_outbox::{Enqueued, Outbox, OutboxError, Record, Staged, State};
use business_data_connector_sandbox::{Fault, FaultRule, Sandbox};
use support::{TestResult, UID, all, deaf_inbox, eager, inbox, outbox, until};

fn income(id: &str) -> IncomeRecord {
    IncomeRecord::new().id(id).currency("ZAR").amount("19.90".parse::<business_data_connector::Decimal>().unwrap())
}

async fn setting() -> Result<(tempfile::TempDir, Sandbox, Outbox), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let outbox = outbox(folder.path()).await;
    Ok((folder, Sandbox::start().await?, outbox))
}

#[tokio::test]
async fn income_and_expenses_travel_in_batches_and_are_confirmed_by_callbacks() -> TestResult {
    let (folder, sandbox, outbox) = setting().await?;
    let expenses = (0..150).map(|n| Record::from(ExpenseRecord::new().id(format!("EXP-{n}")).amount(n)));
    let incomes = (0..150).map(|n| Record::from(income(&format!("INV-{n}"))));
    let summary = outbox.enqueue_all(UID, incomes.chain(expenses)).await?;
    assert_eq!((summary.new, summary.there, summary.refused), (300, 0, 0));

    let worker = eager(&outbox, &sandbox, inbox(folder.path()).await).run().await?;
    until(&outbox, all(State::Confirmed)).await;
    worker.stop().await;

    let records = sandbox.records(UID)?;
    assert_eq!(records.len(), 300);
    // Every digit.
    assert!(records[0].as_str().contains("19.90"), "{}", records[0].as_str());
    let pushes: Vec<_> = sandbox.requests().into_iter().map(|request| request.operation.clone()).collect();
    assert_eq!(pushes, ["push_many"; 3]);
    Ok(())
}

#[tokio::test]
async fn a_record_that_is_wrong_or_giant_is_refused_by_itself() -> TestResult {
    let (_folder, _sandbox, outbox) = setting().await?;
    let records = [income("INV-1"), IncomeRecord::new(), income("INV-2").notes("x".repeat(2_000_000)), income("INV-3")];
    let summary = outbox.enqueue_all(UID, records).await?;
    assert_eq!((summary.new, summary.refused), (2, 2));
    let told: Vec<_> = summary.refusals.iter().map(|(position, error)| (*position, error.to_string())).collect();
    assert_eq!(told[0].0, 1);
    assert!(told[0].1.starts_with("push_income: the record has no `id`"), "{}", told[0].1);
    assert!(told[1].1.contains("bytes, and 1048576 are accepted at most"), "{}", told[1].1);
    Ok(())
}

#[tokio::test]
async fn the_same_record_twice_is_one_and_another_content_is_an_error() -> TestResult {
    let (_folder, _sandbox, outbox) = setting().await?;
    let request = PushIncomeRequest::new(UID, income("INV-1"));
    assert!(matches!(outbox.enqueue(&request).await?, Enqueued::New(_)));
    assert_eq!(outbox.enqueue(&request).await?, Enqueued::There);
    let other = PushIncomeRequest::new(UID, income("INV-1").notes("corrected"));
    let error = outbox.enqueue(&other).await.unwrap_err();
    assert!(matches!(error, OutboxError::Differs { .. }), "{error}");

    // One that was dropped makes room for the corrected one.
    let number = outbox.outcome(UID, "INV-1").await?.unwrap().number;
    outbox.drop(number, "Ada", "the amount was wrong").await?;
    assert!(matches!(outbox.enqueue(&other).await?, Enqueued::New(_)));
    assert_eq!(outbox.outcome(UID, "INV-1").await?.unwrap().state, State::Queued);
    Ok(())
}

#[tokio::test]
async fn what_has_no_place_in_an_outbox_is_refused_with_what_to_do() -> TestResult {
    let (_folder, _sandbox, outbox) = setting().await?;
    let pull = business_data_connector::types::PullBusinessRequest::new("a@example.com");
    assert!(outbox.enqueue(&pull).await.unwrap_err().to_string().contains("reads and changes nothing"));
    let own = PushIncomeRequest::new(UID, income("INV-1")).webhook("https://partner.example/own");
    assert!(outbox.enqueue(&own).await.unwrap_err().to_string().contains("leave `webhook` out"));
    let nul = PushIncomeRequest::new(UID, income("INV\u{0}1"));
    assert!(outbox.enqueue(&nul).await.unwrap_err().to_string().contains("the `id` has a NUL character"));
    let long = PushIncomeRequest::new(UID, income(&"1".repeat(Staged::LONGEST_KEY + 1)));
    assert!(outbox.enqueue(&long).await.unwrap_err().to_string().contains("more than 1000 bytes"));
    let error = outbox.outcome(UID, "INV-1").await?;
    assert!(error.is_none());
    Ok(())
}

#[tokio::test]
async fn income_whose_fate_is_unknown_is_found_by_a_pull_and_never_sent_again() -> TestResult {
    for fault in [Fault::ResetAfter, Fault::Cut, Fault::StatusAfter(504)] {
        let (folder, sandbox, outbox) = setting().await?;
        sandbox.add_fault(FaultRule::new(fault).operation("push_many").times(1))?;
        let records = (0..100).map(|n| income(&format!("INV-{n}")));
        outbox.enqueue_all(UID, records).await?;
        let inbox = deaf_inbox(folder.path(), "push_many").await;
        let worker = eager(&outbox, &sandbox, inbox).run().await?;
        until(&outbox, all(State::Confirmed)).await;
        worker.stop().await;
        let entry = outbox.outcome(UID, "INV-7").await?.unwrap();
        assert_eq!(entry.reason.as_deref(), Some("pull_income returned it"), "{fault}");
        let pushes = sandbox.requests().into_iter().filter(|request| request.operation == "push_many").count();
        assert_eq!((pushes, entry.attempts), (1, 1), "{fault}");
    }
    Ok(())
}

#[tokio::test]
async fn income_that_two_pulls_do_not_return_is_absent_and_waits_for_a_person() -> TestResult {
    let (folder, sandbox, outbox) = setting().await?;
    sandbox.add_fault(FaultRule::new(Fault::ResetBefore).operation("push_many").times(1))?;
    outbox.enqueue_all(UID, [income("INV-1"), income("INV-2")]).await?;
    let worker = eager(&outbox, &sandbox, inbox(folder.path()).await).run().await?;
    let entry = loop {
        let entry = outbox.outcome(UID, "INV-1").await?.unwrap();
        if entry.absent {
            break entry;
        }
        tokio::task::yield_now().await;
    };
    assert_eq!(entry.state, State::Unknown);
    assert!(sandbox.records(UID)?.is_empty());

    for id in ["INV-1", "INV-2"] {
        let number = outbox.outcome(UID, id).await?.unwrap().number;
        outbox.resend(number, "Ada", "the service does not have it").await?;
    }
    until(&outbox, all(State::Confirmed)).await;
    worker.stop().await;
    assert_eq!(sandbox.records(UID)?.len(), 2);
    let decisions = outbox.decisions(entry.number).await?;
    assert_eq!((decisions.len(), decisions[0].by.as_str(), decisions[0].from), (1, "Ada", State::Unknown));
    Ok(())
}

#[tokio::test]
async fn a_sale_whose_fate_is_unknown_waits_for_a_person() -> TestResult {
    let (folder, sandbox, outbox) = setting().await?;
    sandbox.add_fault(FaultRule::new(Fault::ResetBefore).times(1))?;
    outbox.enqueue(&PushSaleRequest::new(UID, SaleRecord::new().id("SALE-1"))).await?;
    outbox.enqueue(&PushSaleRequest::new(UID, SaleRecord::new().id("SALE-2"))).await?;
    let worker = eager(&outbox, &sandbox, inbox(folder.path()).await).run().await?;
    let done = |counts: &business_data_connector_outbox::Counts| {
        (counts.get(State::Unknown), counts.get(State::Confirmed)) == (1, 1)
    };
    until(&outbox, done).await;
    let entry = outbox.outcome(UID, "SALE-1").await?.unwrap();
    assert_eq!(entry.state, State::Unknown);
    outbox.accept(entry.number, "Ada", "found it on the website").await?;
    let error = outbox.accept(entry.number, "Ada", "again").await.unwrap_err();
    assert_eq!(error.to_string(), "`accept` is not possible for a request that is confirmed");
    worker.stop().await;
    Ok(())
}

#[tokio::test]
async fn a_batch_that_is_refused_as_a_whole_is_sent_one_by_one_if_that_is_declared() -> TestResult {
    let (folder, sandbox, outbox) = setting().await?;
    sandbox.add_fault(FaultRule::new(Fault::ErrorTrue).operation("push_many").times(1))?;
    sandbox.add_fault(FaultRule::new(Fault::ErrorTrue).operation("push_income").times(1))?;
    outbox.enqueue_all(UID, (0..3).map(|n| income(&format!("INV-{n}")))).await?;
    let worker = eager(&outbox, &sandbox, inbox(folder.path()).await).refusals_are_atomic().run().await?;
    let done = |counts: &business_data_connector_outbox::Counts| {
        (counts.get(State::Refused), counts.get(State::Confirmed)) == (1, 2)
    };
    until(&outbox, done).await;
    worker.stop().await;
    assert_eq!(outbox.outcome(UID, "INV-0").await?.unwrap().state, State::Refused);
    Ok(())
}

#[tokio::test]
async fn an_operation_without_callbacks_is_confirmed_by_its_reply() -> TestResult {
    let (folder, sandbox, outbox) = setting().await?;
    outbox.enqueue(&PushIncomeRequest::new(UID, income("INV-1"))).await?;
    outbox.enqueue(&PushResetRequest::new(UID)).await?;
    let business = BusinessData::new().businessname("Shop").firstname("A").lastname("B").email("a@example.com");
    outbox.enqueue(&PushBusinessRequest::new(business)).await?;
    let worker = eager(&outbox, &sandbox, inbox(folder.path()).await).run().await?;
    until(&outbox, all(State::Confirmed)).await;
    worker.stop().await;
    assert!(sandbox.records(UID)?.is_empty(), "the reset came last");
    Ok(())
}
