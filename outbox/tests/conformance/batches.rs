//! Requests that move with their batch, and those that leave it.

use business_data_connector_outbox::{
    DecisionKind, State,
    testing::{Batch, Verdict},
};

use super::bench::{Bench, HOUR, TestResult, arrival, failure, income, numbers, sale, verdict};

const DAY: i64 = 24 * HOUR;
const INVOICES: [&str; 3] = ["INV-1", "INV-2", "INV-3"];

/// A batch that is taken, of so many requests.
async fn taken(bench: &Bench, uid: &str, records: usize) -> Batch {
    bench.add((0..records).map(|n| income(uid, &format!("INV-{n}")))).await;
    let batch = bench.send(State::Taken).await;
    assert_eq!((batch.uid.as_str(), batch.rows.len()), (uid, records));
    batch
}

async fn expect(bench: &Bench, expected: &[(State, u64)]) -> TestResult {
    let counts = bench.store.counts().await?;
    let told: Vec<_> = counts.iter().filter(|found| found.count > 0).map(|found| (found.state, found.count)).collect();
    assert_eq!(told, expected);
    bench.recount().await;
    Ok(())
}

pub async fn each_step_is_counted(bench: &Bench) -> TestResult {
    let added = bench.add((0..4).map(|n| income("a", &format!("INV-{n}")))).await;
    expect(bench, &[(State::Queued, 4)]).await?;
    let batch = bench.claim().await.unwrap();
    expect(bench, &[(State::Sending, 4)]).await?;
    bench.pass(HOUR);
    bench.settle(&batch, verdict(State::Taken)).await;
    expect(bench, &[(State::Taken, 4)]).await?;
    bench.decide(added[0], DecisionKind::Accept).await?;
    expect(bench, &[(State::Taken, 3), (State::Confirmed, 1)]).await?;
    bench.pass(HOUR);
    assert_eq!(bench.maintain(HOUR, &[], 100).await.len(), 3);
    expect(bench, &[(State::Confirmed, 1), (State::Unconfirmed, 3)]).await?;
    bench.decide(added[1], DecisionKind::Drop).await?;
    bench.decide(added[2], DecisionKind::Resend).await?;
    expect(bench, &[(State::Queued, 1), (State::Confirmed, 1), (State::Unconfirmed, 1), (State::Dropped, 1)]).await?;
    assert_eq!(bench.arrive(arrival(batch.address.id)).await.0.len(), 1);
    expect(bench, &[(State::Queued, 1), (State::Confirmed, 2), (State::Dropped, 1)]).await?;
    assert_eq!(numbers(&bench.send(State::Taken).await), added[2..3]);
    expect(bench, &[(State::Taken, 1), (State::Confirmed, 2), (State::Dropped, 1)]).await
}

pub async fn a_decision_about_one_request_leaves_the_others_of_its_batch(bench: &Bench) -> TestResult {
    for succeeds in [true, false] {
        let uid = if succeeds { "a" } else { "b" };
        let batch = taken(bench, uid, 3).await;
        let [first, second, third] = numbers(&batch)[..] else { panic!("{batch:?}") };
        bench.pass(1);
        let event = bench.decide(second, DecisionKind::Accept).await?;
        assert_eq!((event.from, event.to), (State::Taken, State::Confirmed));
        assert_eq!(bench.states(&[first, second, third]).await, [State::Taken, State::Confirmed, State::Taken]);
        bench.recount().await;
        let send = batch.address.id;
        let told = if succeeds { arrival(send) } else { failure(send, "no", bench.now() + HOUR) };
        let mut moved: Vec<_> = bench.arrive(told).await.0.iter().map(|event| (event.number, event.from)).collect();
        moved.sort_unstable();
        assert_eq!(moved, [(first, State::Taken), (third, State::Taken)]);
        let others = if succeeds { State::Confirmed } else { State::Unknown };
        assert_eq!(bench.states(&[first, second, third]).await, [others, State::Confirmed, others]);
        assert_eq!(bench.entry(second).await.reason.as_deref(), Some("Ada: it was tried"));
        bench.recount().await;
    }
    Ok(())
}

pub async fn a_batch_that_all_have_left_is_not_waited_for(bench: &Bench) -> TestResult {
    let batch = taken(bench, "a", 2).await;
    for number in numbers(&batch) {
        bench.decide(number, DecisionKind::Accept).await?;
    }
    bench.recount().await;
    bench.pass(DAY);
    assert!(bench.maintain(HOUR, &[], 100).await.is_empty());
    assert!(bench.arrive(failure(batch.address.id, "no", 0)).await.0.is_empty());
    expect(bench, &[(State::Confirmed, 2)]).await
}

pub async fn a_callback_after_the_confirmation_changes_nothing(bench: &Bench) -> TestResult {
    let batch = taken(bench, "a", 2).await;
    bench.arrive(arrival(batch.address.id)).await;
    let before = bench.entry(numbers(&batch)[0]).await;
    bench.pass(HOUR);
    assert!(bench.arrive(failure(batch.address.id, "no", 0)).await.0.is_empty());
    assert!(bench.arrive(arrival(batch.address.id)).await.0.is_empty());
    assert!(bench.maintain(0, &[], 100).await.is_empty());
    bench.recover().await;
    assert_eq!(bench.entry(numbers(&batch)[0]).await, before);
    for kind in [DecisionKind::Resend, DecisionKind::Accept, DecisionKind::Drop] {
        assert!(bench.decide(numbers(&batch)[0], kind).await.is_err());
    }
    expect(bench, &[(State::Confirmed, 2)]).await
}

pub async fn the_callback_of_an_earlier_batch_leaves_what_was_sent_again(bench: &Bench) -> TestResult {
    let added = bench.add([income("a", "INV-1"), income("a", "INV-2")]).await;
    let first = bench.send(State::Unknown).await;
    bench.decide(added[0], DecisionKind::Resend).await?;
    let second = bench.send(State::Taken).await;
    assert_eq!(numbers(&second), added[..1]);
    assert_eq!(bench.arrive(arrival(first.address.id)).await.0.len(), 1);
    assert_eq!(bench.states(&added).await, [State::Taken, State::Confirmed]);
    assert_eq!(bench.arrive(arrival(second.address.id)).await.0.len(), 1);
    expect(bench, &[(State::Confirmed, 2)]).await
}

pub async fn a_confirmed_batch_is_removed_after_its_time_so_many_requests_at_once(bench: &Bench) -> TestResult {
    let batch = taken(bench, "a", 5).await;
    bench.pass(DAY);
    bench.arrive(arrival(batch.address.id)).await;
    let later = taken(bench, "b", 1).await;
    bench.pass(1);
    bench.arrive(arrival(later.address.id)).await;
    let keep = [(State::Confirmed, DAY)];
    bench.pass(DAY - 2);
    bench.maintain(100 * DAY, &keep, 2).await;
    expect(bench, &[(State::Confirmed, 6)]).await?;
    bench.pass(1);
    for left in [4, 2, 1] {
        bench.maintain(100 * DAY, &keep, 2).await;
        expect(bench, &[(State::Confirmed, left)]).await?;
    }
    assert_eq!(bench.state(numbers(&later)[0]).await, State::Confirmed);
    bench.pass(1);
    bench.maintain(100 * DAY, &keep, 2).await;
    expect(bench, &[]).await?;
    // Their keys are free.
    taken(bench, "a", 5).await;
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
