//! Requests of one batch whose ways part, and meet again.

use business_data_connector_outbox::{DecisionKind, State, testing::Verdict};

use super::bench::{Bench, HOUR, TestResult, arrival, income, numbers, sale, verdict};

const INVOICES: [&str; 3] = ["INV-1", "INV-2", "INV-3"];

pub async fn one_of_a_batch_is_accepted_and_a_callback_confirms_the_others(bench: &Bench) -> TestResult {
    let added = bench.add(INVOICES.map(|id| income("a", id))).await;
    let batch = bench.send(State::Taken).await;
    let event = bench.decide(added[1], DecisionKind::Accept).await?;
    assert_eq!((event.from, event.to), (State::Taken, State::Confirmed));
    assert_eq!(bench.states(&added).await, [State::Taken, State::Confirmed, State::Taken]);
    assert_eq!(bench.entry(added[1]).await.attempts, 1);
    bench.recount().await;
    let moved: Vec<_> = bench.arrive(arrival(batch.address.id)).await.0.iter().map(|event| event.number).collect();
    assert_eq!(moved, [added[0], added[2]]);
    bench.recount().await;
    Ok(())
}

pub async fn a_batch_of_which_all_are_accepted_does_not_become_unconfirmed(bench: &Bench) -> TestResult {
    let added = bench.add(INVOICES.map(|id| income("a", id))).await;
    bench.send(State::Taken).await;
    bench.pass(1);
    bench.add([sale("b", "1")]).await;
    bench.send(State::Taken).await;
    for number in &added {
        bench.decide(*number, DecisionKind::Accept).await?;
    }
    // Only the other one is counted as taken, and so is its age.
    bench.recount().await;
    bench.pass(HOUR);
    assert_eq!(bench.maintain(HOUR, &[], 100).await.len(), 1);
    bench.recount().await;
    Ok(())
}

pub async fn what_was_queued_again_travels_with_what_was_never_sent(bench: &Bench) -> TestResult {
    let first = bench.add([income("a", "INV-1"), income("a", "INV-2")]).await;
    bench.send(State::Queued).await;
    let second = bench.add([income("a", "INV-3")]).await;
    bench.decide(first[1], DecisionKind::Drop).await?;
    bench.pass(HOUR);
    let batch = bench.claim().await.unwrap();
    assert_eq!(numbers(&batch), [first[0], second[0]]);
    bench.recount().await;
    let moved = bench.settle(&batch, Verdict { reason: Some("200".to_owned()), ..verdict(State::Taken) }).await;
    assert_eq!(moved.len(), 2);
    for (number, attempts) in [(first[0], 2), (second[0], 1)] {
        let entry = bench.entry(number).await;
        assert_eq!((entry.state, entry.attempts, entry.reason.as_deref()), (State::Taken, attempts, Some("200")));
    }
    bench.pass(HOUR);
    assert_eq!(bench.maintain(HOUR, &[], 100).await.len(), 2);
    assert_eq!(bench.arrive(arrival(batch.address.id)).await.0.len(), 2);
    assert_eq!(bench.states(&[first[0], second[0]]).await, [State::Confirmed; 2]);
    assert!(bench.claim().await.is_none());
    bench.recount().await;
    Ok(())
}

pub async fn a_batch_is_removed_after_its_time_except_for_what_is_not_known(bench: &Bench) -> TestResult {
    let added = bench.add(INVOICES.map(|id| income("a", id))).await;
    bench.send(State::Unknown).await;
    let check = bench.begin_check().await.unwrap();
    bench.pulled(&check, &["INV-1"]).await;
    let confirmed = bench.add([income("a", "INV-4"), income("a", "INV-5")]).await;
    let batch = bench.send(State::Taken).await;
    bench.arrive(arrival(batch.address.id)).await;
    bench.pass(HOUR);
    let later = bench.add([income("a", "INV-6")]).await;
    bench.maintain(100 * HOUR, &[(State::Confirmed, HOUR)], 100).await;
    let left: Vec<_> = bench.store.entries(None, 0, 100).await?.iter().map(|entry| entry.number).collect();
    assert_eq!(left, [added[1], added[2], later[0]]);
    assert!(confirmed.iter().all(|number| !left.contains(number)));
    bench.recount().await;
    assert_eq!(numbers(&bench.claim().await.unwrap()), later);
    Ok(())
}
