//! Looking for records whose fate is not known.

use business_data_connector_outbox::{
    DecisionKind, State,
    testing::{Arrival, Verdict},
};

use super::bench::{Bench, HOUR, TestResult, addresses, arrival, expense, failure, income, numbers, sale, verdict};

pub async fn what_a_pull_returns_is_confirmed(bench: &Bench) -> TestResult {
    let added = bench.add([income("a", "INV-1"), income("a", "INV-2"), expense("a", "INV-1"), sale("a", "INV-1")]);
    let added = added.await;
    bench.send(State::Unknown).await;
    bench.send(State::Unknown).await;
    let other = bench.add([income("b", "INV-1")]).await[0];
    bench.send(State::Unknown).await;
    let mut pulled = Vec::new();
    while let Some(check) = bench.begin_check().await {
        let events = bench.pulled(&check, &["INV-1", "INV-9"]).await;
        pulled.push((check.uid, check.operation.id, events.len()));
    }
    pulled.sort();
    let expected = [("a", "pull_expenses", 1), ("a", "pull_income", 1), ("b", "pull_income", 1)];
    assert_eq!(pulled, expected.map(|(uid, operation, events)| (uid.to_owned(), operation, events)));
    let states = [State::Confirmed, State::Unknown, State::Confirmed, State::Unknown];
    assert_eq!(bench.states(&added).await, states, "a sale cannot be pulled");
    assert_eq!(bench.state(other).await, State::Confirmed);
    assert_eq!(bench.entry(added[0]).await.reason.as_deref(), Some("pull_income returned it"));
    bench.recount().await;
    Ok(())
}

pub async fn what_two_pulls_do_not_return_is_absent_and_waits_for_a_person(bench: &Bench) -> TestResult {
    let number = bench.add([income("a", "INV-1")]).await[0];
    bench.send(State::Unknown).await;
    let check = bench.begin_check().await.unwrap();
    assert!(bench.pulled(&check, &["INV-2"]).await.is_empty());
    assert!(!bench.entry(number).await.absent);
    assert!(bench.begin_check().await.is_none(), "not before quiet time has passed");
    bench.pass(HOUR);
    let check = bench.begin_check().await.unwrap();
    assert!(bench.pulled(&check, &[]).await.is_empty());
    let entry = bench.entry(number).await;
    assert_eq!((entry.state, entry.absent), (State::Unknown, true));
    bench.pass(100 * HOUR);
    assert!(bench.begin_check().await.is_none());
    assert!(bench.claim().await.is_none());
    // The same pull, late: it has it after all.
    assert_eq!(bench.pulled(&check, &["INV-1"]).await.len(), 1);
    assert_eq!(bench.state(number).await, State::Confirmed);
    Ok(())
}

pub async fn what_two_pulls_do_not_return_is_sent_again_if_that_is_asked_for(bench: &Bench) -> TestResult {
    let added = bench.add([income("a", "INV-1"), income("a", "INV-2")]).await;
    bench.send(State::Unknown).await;
    for expected in [0, 2] {
        let check = bench.begin_check().await.unwrap();
        let found = Some(["INV-9".to_owned()].into());
        let told = Arrival { found, resend_absent: true, check_at: bench.now(), ..arrival(check.address.id) };
        assert_eq!(bench.arrive(told).await.0.len(), expected);
    }
    let entry = bench.entry(added[0]).await;
    assert_eq!((entry.state, entry.resent, entry.absent), (State::Queued, 1, false));
    assert_eq!(numbers(&bench.send(State::Taken).await), added[..1], "each on its own");
    assert_eq!(numbers(&bench.send(State::Taken).await), added[1..]);
    bench.recount().await;
    Ok(())
}

pub async fn a_pull_says_nothing_about_what_became_unknown_after_it_began(bench: &Bench) -> TestResult {
    let first = bench.add([income("a", "INV-1")]).await[0];
    bench.send(State::Unknown).await;
    let check = bench.begin_check().await.unwrap();
    let second = bench.add([income("a", "INV-2")]).await[0];
    bench.send(State::Unknown).await;
    bench.pulled(&check, &[]).await;
    let next = bench.begin_check().await.unwrap();
    bench.pulled(&next, &[]).await;
    bench.pass(HOUR);
    let last = bench.begin_check().await.unwrap();
    bench.pulled(&last, &[]).await;
    assert!(bench.entry(first).await.absent && bench.entry(second).await.absent);

    // The answer to a pull of an earlier attempt says nothing about a later one.
    bench.decide(first, DecisionKind::Resend).await?;
    bench.send(State::Unknown).await;
    bench.pulled(&last, &[]).await;
    assert!(!bench.entry(first).await.absent);
    assert!(bench.begin_check().await.is_some());
    Ok(())
}

pub async fn a_pull_that_is_not_answered_is_due_again(bench: &Bench) -> TestResult {
    bench.add([income("a", "INV-1")]).await;
    bench.send(State::Unknown).await;
    assert!(bench.begin_check().await.is_some());
    assert!(bench.begin_check().await.is_none());
    bench.pass(HOUR);
    assert!(bench.begin_check().await.is_some());
    Ok(())
}

pub async fn a_pull_is_begun_once_and_not_before_it_is_due(bench: &Bench) -> TestResult {
    bench.add([income("a", "INV-1"), income("a", "INV-2")]).await;
    let batch = bench.claim().await.unwrap();
    let check_at = Some(bench.now() + HOUR);
    bench.settle(&batch, Verdict { check_at, ..verdict(State::Unknown) }).await;
    bench.pass(HOUR - 1);
    assert!(bench.begin_check().await.is_none());
    bench.pass(1);
    let at_once = (0..4).map(|_| bench.store.begin_check(bench.now(), bench.now() + HOUR, addresses()));
    let begun = futures_util::future::try_join_all(at_once).await?;
    assert_eq!(begun.iter().flatten().count(), 1);
    Ok(())
}

pub async fn a_pull_that_failed_says_nothing(bench: &Bench) -> TestResult {
    let number = bench.add([income("a", "INV-1")]).await[0];
    bench.send(State::Unknown).await;
    let check = bench.begin_check().await.unwrap();
    assert!(bench.arrive(failure(check.address.id, "later", bench.now())).await.0.is_empty());
    assert!(bench.arrive(arrival(check.address.id)).await.0.is_empty(), "its content could not be read");
    let entry = bench.entry(number).await;
    assert_eq!((entry.state, entry.absent), (State::Unknown, false));
    bench.pass(HOUR);
    assert!(bench.begin_check().await.is_some());
    Ok(())
}

pub async fn nothing_is_pulled_during_a_pause(bench: &Bench) -> TestResult {
    bench.add([income("a", "INV-1")]).await;
    bench.send(State::Unknown).await;
    for uid in [None, Some("a")] {
        bench.pause(uid, None, "a person").await;
        assert!(bench.begin_check().await.is_none());
        assert!(bench.store.resume(uid.map(str::to_owned)).await?);
    }
    assert!(bench.begin_check().await.is_some());
    Ok(())
}
