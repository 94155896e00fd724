//! What waits: for the fate of something else, for its time, or for a person.

use business_data_connector_outbox::{DecisionKind, State, testing::Verdict};

use super::bench::{Bench, HOUR, TestResult, arrival, income, numbers, reset, sale, verdict};

pub async fn a_reset_waits_for_what_is_not_known_before_it(bench: &Bench) -> TestResult {
    let added = bench.add([sale("a", "1"), reset("a"), income("a", "2")]).await;
    bench.send(State::Unknown).await;
    assert!(bench.claim().await.is_none());
    bench.pass(HOUR);
    assert!(bench.claim().await.is_none());
    // Another business does not wait.
    let other = bench.add([income("b", "1")]).await;
    assert_eq!(numbers(&bench.send(State::Taken).await), other);
    // A decision about what it waits for lets it go on at once.
    bench.decide(added[0], DecisionKind::Accept).await?;
    assert_eq!(numbers(&bench.send(State::Confirmed).await), added[1..2]);
    assert_eq!(numbers(&bench.send(State::Confirmed).await), added[2..]);
    Ok(())
}

pub async fn nothing_follows_a_reset_whose_fate_is_not_known(bench: &Bench) -> TestResult {
    let added = bench.add([reset("a"), income("a", "1")]).await;
    bench.send(State::Unknown).await;
    assert!(bench.claim().await.is_none());
    bench.decide(added[0], DecisionKind::Resend).await?;
    assert_eq!(numbers(&bench.send(State::Confirmed).await), added[..1]);
    assert_eq!(numbers(&bench.send(State::Confirmed).await), added[1..]);
    Ok(())
}

pub async fn a_batch_ends_where_a_reset_whose_fate_is_not_known_stands(bench: &Bench) -> TestResult {
    let added = bench.add([income("a", "1"), reset("a"), income("a", "2")]).await;
    bench.send(State::Refused).await;
    bench.send(State::Unknown).await;
    assert!(bench.claim().await.is_none());
    bench.decide(added[0], DecisionKind::Resend).await?;
    assert_eq!(numbers(&bench.send(State::Taken).await), added[..1]);
    assert!(bench.claim().await.is_none(), "the income came after the reset");
    Ok(())
}

pub async fn a_business_that_failed_waits_and_others_do_not(bench: &Bench) -> TestResult {
    let added = bench.add([income("a", "1"), income("b", "1")]).await;
    let mut failures = Vec::new();
    for _ in 0..3 {
        let batch = bench.claim().await.unwrap();
        assert_eq!(batch.uid, "a");
        failures.push(batch.failures);
        let not_before = Some(bench.now() + HOUR);
        bench.settle(&batch, Verdict { not_before, ..verdict(State::Queued) }).await;
        if failures.len() == 1 {
            assert_eq!(numbers(&bench.send(State::Taken).await), added[1..]);
        }
        bench.pass(HOUR - 1);
        assert!(bench.claim().await.is_none());
        bench.pass(1);
    }
    assert_eq!(failures, [0, 1, 2]);
    assert_eq!(bench.entry(added[0]).await.attempts, 3);
    bench.send(State::Taken).await;
    bench.add([income("a", "2")]).await;
    assert_eq!(bench.claim().await.unwrap().failures, 0);
    Ok(())
}

pub async fn an_outcome_ends_the_wait_of_a_business(bench: &Bench) -> TestResult {
    let added = bench.add([income("a", "1"), sale("a", "2")]).await;
    let batch = bench.claim().await.unwrap();
    let not_before = Some(bench.now() + HOUR);
    bench.settle(&batch, Verdict { not_before, ..verdict(State::Unknown) }).await;
    assert!(bench.claim().await.is_none());
    bench.arrive(arrival(batch.address.id)).await;
    assert_eq!(numbers(&bench.claim().await.unwrap()), added[1..]);
    Ok(())
}

pub async fn a_pause_of_everything_ends_at_its_time(bench: &Bench) -> TestResult {
    bench.add([income("a", "1")]).await;
    bench.pause(None, Some(bench.now() + HOUR), "asked to wait").await;
    assert!(bench.claim().await.is_none());
    let pauses = bench.store.pauses().await?;
    assert_eq!((pauses.len(), pauses[0].uid.as_deref(), pauses[0].reason.as_str()), (1, None, "asked to wait"));
    assert_eq!(pauses[0].until, Some(pauses[0].since + std::time::Duration::from_secs(3600)));
    bench.pass(HOUR);
    assert!(bench.claim().await.is_some());
    assert!(bench.store.pauses().await?.is_empty());
    assert!(!bench.store.resume(None).await?);
    Ok(())
}

pub async fn a_pause_of_a_business_leaves_others_alone_and_ends_when_a_person_says_so(bench: &Bench) -> TestResult {
    let added = bench.add([income("a", "1"), income("b", "1")]).await;
    bench.pause(Some("a"), None, "asked for by its owner").await;
    assert_eq!(numbers(&bench.send(State::Taken).await), added[1..]);
    bench.pass(1000 * HOUR);
    assert!(bench.claim().await.is_none());
    assert!(!bench.store.resume(None).await?);
    assert!(bench.store.resume(Some("a".to_owned())).await?);
    assert_eq!(numbers(&bench.send(State::Taken).await), added[..1]);
    Ok(())
}

pub async fn a_pause_gets_longer_and_never_shorter(bench: &Bench) -> TestResult {
    let until = |hours: i64| Some(bench.now() + hours * HOUR);
    bench.pause(None, until(2), "first").await;
    bench.pause(None, until(1), "shorter").await;
    let two = bench.store.pauses().await?;
    bench.pause(None, until(3), "longer").await;
    let three = bench.store.pauses().await?;
    assert_eq!(
        three[0].until.zip(two[0].until).map(|(later, sooner)| later.duration_since(sooner)).transpose()?,
        Some(std::time::Duration::from_secs(3600))
    );
    bench.pause(None, None, "a person").await;
    bench.pause(None, until(1), "shorter").await;
    let last = bench.store.pauses().await?;
    assert_eq!((last.len(), last[0].until, last[0].reason.as_str()), (1, None, "a person"));
    bench.pass(10 * HOUR);
    bench.add([income("a", "1")]).await;
    assert!(bench.claim().await.is_none());
    Ok(())
}
