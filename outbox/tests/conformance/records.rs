//! Adding, keys, reading, and decisions.

use std::time::SystemTime;

use business_data_connector::{
    Decimal,
    types::{IncomeRecord, PushIncomeRequest},
};
use business_data_connector_outbox::{
    DecisionKind, OutboxError, Staged, State,
    testing::{Added, Verdict},
};

use super::bench::{Bench, TestResult, expense, income, numbers, reset, sale, verdict};

fn with_notes(uid: &str, id: &str, notes: &str) -> Result<Staged, OutboxError> {
    Staged::new(&PushIncomeRequest::new(uid, IncomeRecord::new().id(id).notes(notes)))
}

pub async fn the_same_record_twice_is_one_and_another_content_is_told(bench: &Bench) -> TestResult {
    let number = bench.add([income("a", "INV-1")]).await[0];
    let other = with_notes("a", "INV-1", "corrected")?;
    let added = bench.store.add(vec![income("a", "INV-1"), other.clone(), income("a", "INV-2")]).await?;
    assert!(matches!(&added[..], [Added::There, Added::Differs(told), Added::New(_)] if *told == other), "{added:?}");
    assert_eq!(bench.entry(number).await.request, income("a", "INV-1").request());

    // What was sent is as much there as what waits.
    let sent = bench.send(State::Taken).await;
    assert_eq!(sent.rows.len(), 2);
    let added = bench.store.add(vec![income("a", "INV-1"), other]).await?;
    assert!(matches!(&added[..], [Added::There, Added::Differs(_)]), "{added:?}");
    assert_eq!(bench.store.counts().await?.total(), 2);
    bench.recount().await;
    Ok(())
}

pub async fn the_same_record_twice_in_one_call_is_one(bench: &Bench) -> TestResult {
    let records = vec![
        income("a", "INV-1"),
        reset("a"),
        income("a", "INV-1"),
        with_notes("a", "INV-1", "corrected")?,
        reset("a"),
        income("a", "INV-2"),
    ];
    let added = bench.store.add(records).await?;
    let [Added::New(first), Added::New(second), Added::There, Added::Differs(_), Added::New(third), Added::New(fourth)] =
        &added[..]
    else {
        panic!("{added:?}")
    };
    assert!(first < second && second < third && third < fourth, "{added:?}");
    let entry = bench.entry(*fourth).await;
    assert_eq!((entry.record_id.as_deref(), entry.operation.as_str()), (Some("INV-2"), "push_income"));
    assert!(bench.store.add(Vec::new()).await?.is_empty());
    Ok(())
}

pub async fn a_record_that_was_dropped_makes_room_for_a_corrected_one(bench: &Bench) -> TestResult {
    let first = bench.add([income("a", "INV-1")]).await[0];
    bench.decide(first, DecisionKind::Drop).await?;
    let second = bench.add([with_notes("a", "INV-1", "corrected")?]).await[0];
    let found = bench.store.find("a".to_owned(), "INV-1".to_owned()).await?;
    assert_eq!(found.iter().map(|entry| entry.number).collect::<Vec<_>>(), [second, first]);
    assert_eq!(numbers(&bench.claim().await.unwrap()), [second]);
    Ok(())
}

pub async fn a_key_is_business_operation_and_identifier(bench: &Bench) -> TestResult {
    let records = [income("a", "1"), expense("a", "1"), sale("a", "1"), income("b", "1"), income("a", "2")];
    assert_eq!(bench.add(records).await.len(), 5);
    let found = bench.store.find("a".to_owned(), "1".to_owned()).await?;
    let operations: Vec<_> = found.iter().map(|entry| entry.operation.as_str()).collect();
    assert_eq!(operations, ["push_sale", "push_expense", "push_income"]);
    Ok(())
}

pub async fn requests_without_an_identifier_are_never_the_same(bench: &Bench) -> TestResult {
    let numbers = bench.add([reset("a"), reset("a")]).await;
    assert_eq!(bench.add([reset("a")]).await.len() + numbers.len(), 3);
    assert_eq!(bench.store.counts().await?.get(State::Queued), 3);
    Ok(())
}

pub async fn requests_are_found_by_number_identifier_and_state(bench: &Bench) -> TestResult {
    let numbers = bench.add((0..5).map(|n| income("a", &format!("INV-{n}")))).await;
    bench.decide(numbers[1], DecisionKind::Drop).await?;
    let page = |state, after, limit| {
        let entries = bench.store.entries(state, after, limit);
        async move { entries.await.map(|entries| entries.iter().map(|entry| entry.number).collect::<Vec<_>>()) }
    };
    assert_eq!(page(None, 0, 2).await?, numbers[..2]);
    assert_eq!(page(None, numbers[1], 100).await?, numbers[2..]);
    assert_eq!(page(Some(State::Queued), numbers[0], 2).await?, numbers[2..4]);
    assert_eq!(page(Some(State::Dropped), 0, 2).await?, numbers[1..2]);
    assert!(page(Some(State::Taken), 0, 2).await?.is_empty());
    assert!(bench.store.entry(numbers[4] + 1).await?.is_none());
    assert!(bench.store.find("b".to_owned(), "INV-1".to_owned()).await?.is_empty());
    let entry = bench.entry(numbers[0]).await;
    assert_eq!((entry.uid.as_deref(), entry.record_id.as_deref()), (Some("a"), Some("INV-0")));
    assert_eq!((entry.state, entry.attempts, entry.resent, entry.absent), (State::Queued, 0, 0, false));
    assert_eq!(entry.added, entry.since);
    Ok(())
}

pub async fn text_is_kept_as_it_is(bench: &Bench) -> TestResult {
    let amount: Decimal = "1234567890123456789.00".parse()?;
    let record = IncomeRecord::new().id("INV/1 'ü\u{1f600}\\").amount(amount).notes("a\u{0}b\u{2028}c");
    let staged = Staged::new(&PushIncomeRequest::new("a", record))?;
    assert!(staged.request().contains("1234567890123456789.00"));
    let number = bench.add([staged.clone()]).await[0];
    let entry = bench.entry(number).await;
    assert_eq!((entry.request.as_str(), entry.record_id.as_deref()), (staged.request(), staged.record_id()));

    // What the service says may hold anything, and must not be what stops the outbox.
    let batch = bench.claim().await.unwrap();
    assert_eq!(batch.rows[0].request, staged.request());
    let reason = Some("a\u{0}b".to_owned());
    bench.settle(&batch, Verdict { reason, ..verdict(State::Refused) }).await;
    let entry = bench.entry(number).await;
    assert_eq!(entry.state, State::Refused);
    assert!(entry.reason.is_some_and(|reason| reason.starts_with('a') && reason.ends_with('b')));
    Ok(())
}

pub async fn decisions_are_kept_with_who_when_and_why(bench: &Bench) -> TestResult {
    let number = bench.add([sale("a", "SALE-1")]).await[0];
    bench.send(State::Refused).await;
    bench.decide(number, DecisionKind::Resend).await?;
    let entry = bench.entry(number).await;
    assert_eq!((entry.resent, entry.reason.as_deref()), (1, Some("Ada: it was tried")));
    bench.send(State::Unknown).await;
    bench.decide(number, DecisionKind::Accept).await?;
    let error = bench.decide(number, DecisionKind::Drop).await.unwrap_err();
    assert!(matches!(error, OutboxError::NotPossible { state: State::Confirmed, .. }), "{error}");

    let decisions = bench.store.decisions(number).await?;
    let told: Vec<_> = decisions.iter().map(|decision| (decision.kind, decision.from)).collect();
    assert_eq!(told, [(DecisionKind::Resend, State::Refused), (DecisionKind::Accept, State::Unknown)]);
    let last = &decisions[1];
    assert_eq!((last.number, last.by.as_str(), last.why.as_str()), (number, "Ada", "it was tried"));
    assert_eq!(last.at.duration_since(SystemTime::UNIX_EPOCH)?.as_millis(), u128::try_from(bench.now())?);
    let error = bench.decide(number + 1, DecisionKind::Drop).await.unwrap_err();
    assert!(matches!(error, OutboxError::NotFound { .. }), "{error}");
    Ok(())
}
