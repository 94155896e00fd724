//! What follows from the end of a process, and from the passing of time.

use business_data_connector_outbox::{DecisionKind, State, testing::Applied};

use super::bench::{Bench, HOUR, TestResult, arrival, income, numbers, sale, verdict};

const DAY: i64 = 24 * HOUR;

pub async fn what_a_process_left_sending_is_unknown_and_its_business_goes_on(bench: &Bench) -> TestResult {
    let added = bench.add([income("a", "1"), sale("a", "2"), income("b", "1"), sale("c", "1")]).await;
    let batch = bench.claim().await.unwrap();
    bench.settle(&batch, verdict(State::Taken)).await;
    let (left, other) = (bench.claim().await.unwrap(), bench.claim().await.unwrap());
    bench.pass(HOUR);
    let mut moved: Vec<_> = bench.recover().await.iter().map(|event| (event.number, event.from, event.to)).collect();
    moved.sort();
    let mut expected = [numbers(&left), numbers(&other)].concat();
    expected.sort_unstable();
    let unknown = |number: &i64| (*number, State::Sending, State::Unknown);
    assert_eq!(moved, expected.iter().map(unknown).collect::<Vec<_>>());
    assert!(bench.recover().await.is_empty());
    assert_eq!(bench.state(numbers(&batch)[0]).await, State::Taken);

    // What did not leave is sent, what left is not.
    let mut sent = Vec::new();
    while let Some(batch) = bench.claim().await {
        sent.extend(numbers(&batch));
        bench.settle(&batch, verdict(State::Taken)).await;
    }
    assert_eq!(sent.len(), 1);
    assert!(added.contains(&sent[0]) && !expected.contains(&sent[0]));
    // The callback that arrived while nobody was there.
    assert_eq!(bench.arrive(arrival(left.address.id)).await.0.len(), 1);
    assert_eq!(bench.state(numbers(&left)[0]).await, State::Confirmed);
    bench.recount().await;
    Ok(())
}

pub async fn what_is_taken_is_unconfirmed_after_its_time(bench: &Bench) -> TestResult {
    let added = bench.add([income("a", "1"), sale("b", "1"), sale("c", "1")]).await;
    bench.send(State::Taken).await;
    bench.send(State::Taken).await;
    bench.pass(HOUR);
    bench.send(State::Taken).await;
    let events = bench.maintain(HOUR, &[], 100).await;
    assert_eq!(events.len(), 2);
    let mut states = bench.states(&added).await;
    states.sort();
    assert_eq!(states, [State::Taken, State::Unconfirmed, State::Unconfirmed]);
    assert_eq!(bench.begin_check().await.map(|check| check.operation.id), Some("pull_income"));
    assert!(bench.maintain(HOUR, &[], 100).await.is_empty());
    bench.recount().await;
    Ok(())
}

pub async fn requests_are_removed_after_the_time_of_their_state(bench: &Bench) -> TestResult {
    let added = bench.add((0..5).map(|n| sale("a", &format!("SALE-{n}")))).await;
    for _ in 0..3 {
        let batch = bench.send(State::Taken).await;
        bench.arrive(arrival(batch.address.id)).await;
    }
    bench.send(State::Refused).await;
    bench.decide(added[4], DecisionKind::Drop).await?;
    let keep = [(State::Confirmed, DAY), (State::Dropped, 3 * DAY)];
    let left = || async { bench.store.entries(None, 0, 100).await.map(|entries| entries.len()) };
    bench.pass(DAY - 1);
    bench.maintain(HOUR, &keep, 2).await;
    assert_eq!(left().await?, 5);
    bench.pass(1);
    bench.maintain(HOUR, &keep, 2).await;
    assert_eq!(left().await?, 3, "so many at a time");
    bench.recount().await;
    bench.maintain(HOUR, &keep, 2).await;
    bench.pass(2 * DAY);
    bench.maintain(HOUR, &keep, 2).await;
    assert_eq!(left().await?, 1);
    assert_eq!(bench.state(added[3]).await, State::Refused);
    assert!(bench.store.decisions(added[4]).await?.is_empty());
    bench.recount().await;
    // Its key is free.
    bench.add([sale("a", "SALE-0")]).await;
    Ok(())
}

pub async fn a_callback_is_known_for_as_long_as_its_address_is_valid(bench: &Bench) -> TestResult {
    bench.add([sale("a", "1"), sale("a", "2")]).await;
    let (removed, kept) = (bench.send(State::Taken).await, bench.send(State::Taken).await);
    bench.arrive(arrival(removed.address.id)).await;
    bench.pass(29 * DAY);
    bench.maintain(100 * DAY, &[(State::Confirmed, DAY)], 100).await;
    assert_eq!(bench.arrive(arrival(removed.address.id)).await.1, Applied::Known);
    bench.pass(2 * DAY);
    bench.maintain(100 * DAY, &[], 100).await;
    assert_eq!(bench.arrive(arrival(removed.address.id)).await.1, Applied::Foreign);
    assert_eq!(bench.arrive(arrival(kept.address.id)).await.0.len(), 1, "what is there is known");
    Ok(())
}
