//! Answers and callbacks, in any order.

use business_data_connector::callback::CallbackId;
use business_data_connector_outbox::{
    DecisionKind, State,
    testing::{Applied, NewPause, Verdict},
};

use super::bench::{Bench, HOUR, TestResult, arrival, claim_of, failure, income, numbers, sale, settlement, verdict};

pub async fn a_batch_moves_as_one(bench: &Bench) -> TestResult {
    let added = bench.add((0..3).map(|n| income("a", &format!("INV-{n}")))).await;
    let batch = bench.claim().await.unwrap();
    assert_eq!(bench.states(&added).await, [State::Sending; 3]);
    bench.pass(HOUR);
    let events = bench.settle(&batch, Verdict { reason: Some("200".to_owned()), ..verdict(State::Taken) }).await;
    let told: Vec<_> = events.iter().map(|event| (event.number, event.from, event.to)).collect();
    assert_eq!(told, added.iter().map(|number| (*number, State::Sending, State::Taken)).collect::<Vec<_>>());
    let before = bench.entry(added[0]).await;
    assert_eq!((before.attempts, before.reason.as_deref()), (1, Some("200")));
    bench.pass(HOUR);
    let (events, applied) = bench.arrive(arrival(batch.address.id)).await;
    assert_eq!((events.len(), applied), (3, Applied::Known));
    let after = bench.entry(added[0]).await;
    assert_eq!((after.state, after.reason.as_deref()), (State::Confirmed, None));
    assert_eq!(after.since.duration_since(before.since)?.as_secs(), 3600);
    bench.recount().await;
    Ok(())
}

pub async fn an_answer_does_not_undo_what_a_callback_did(bench: &Bench) -> TestResult {
    let verdicts = [State::Taken, State::Refused, State::Unknown, State::Queued, State::Parked];
    for (n, state) in verdicts.into_iter().enumerate() {
        for confirmed in [true, false] {
            let number = bench.add([sale("a", &format!("SALE-{n}-{confirmed}"))]).await[0];
            let batch = bench.claim().await.unwrap();
            let told = if confirmed { arrival(batch.address.id) } else { failure(batch.address.id, "no", 0) };
            bench.arrive(told).await;
            let events = bench.settle(&batch, verdict(state)).await;
            assert!(events.is_empty(), "{events:?}");
            let kept = if confirmed { State::Confirmed } else { State::Refused };
            assert_eq!(bench.state(number).await, kept, "after {state}");
        }
    }
    bench.recount().await;
    Ok(())
}

pub async fn an_answer_to_an_earlier_attempt_changes_nothing(bench: &Bench) -> TestResult {
    let number = bench.add([sale("a", "SALE-1")]).await[0];
    let first = bench.claim().await.unwrap();
    bench.pass(HOUR);
    bench.recover().await;
    bench.decide(number, DecisionKind::Resend).await?;
    let second = bench.claim().await.unwrap();
    assert_eq!(numbers(&second), [number]);
    assert!(bench.settle(&first, verdict(State::Taken)).await.is_empty());
    assert_eq!(bench.state(number).await, State::Sending);
    bench.add([sale("a", "SALE-2")]).await;
    assert!(bench.claim().await.is_none(), "the earlier attempt does not free the lane of the later one");
    assert!(bench.arrive(failure(first.address.id, "no", 0)).await.0.is_empty());
    assert_eq!(bench.settle(&second, verdict(State::Taken)).await.len(), 1);
    Ok(())
}

pub async fn an_answer_that_is_stored_twice_changes_nothing_more(bench: &Bench) -> TestResult {
    let added = bench.add([sale("a", "SALE-1"), sale("a", "SALE-2")]).await;
    let batch = bench.claim().await.unwrap();
    let settled = settlement(&batch, verdict(State::Taken));
    let (_, next) = bench.advance(Some(settled.clone()), Some(claim_of(1, 1))).await;
    assert!(bench.advance(Some(settled), None).await.0.is_empty());
    assert_eq!(bench.states(&added).await, [State::Taken, State::Sending]);
    bench.settle(&next.unwrap(), verdict(State::Taken)).await;
    Ok(())
}

pub async fn a_request_that_is_queued_again_is_the_first_again(bench: &Bench) -> TestResult {
    let added = bench.add([sale("a", "SALE-1"), sale("a", "SALE-2")]).await;
    let batch = bench.send(State::Queued).await;
    assert_eq!(bench.state(added[0]).await, State::Queued);
    assert_eq!(numbers(&bench.claim().await.unwrap()), added[..1]);
    assert!(bench.arrive(arrival(batch.address.id)).await.0.is_empty(), "it never left under this address");
    bench.recount().await;
    Ok(())
}

pub async fn requests_that_could_not_be_sent_often_enough_are_parked(bench: &Bench) -> TestResult {
    let added = bench.add([income("a", "INV-1"), income("a", "INV-2")]).await;
    let never = || Verdict { attempts: Some(2), reason: Some("refused".to_owned()), ..verdict(State::Queued) };
    for expected in [State::Queued, State::Parked] {
        let batch = bench.claim().await.unwrap();
        bench.settle(&batch, never()).await;
        assert_eq!(bench.states(&added).await, [expected; 2]);
    }
    assert!(bench.claim().await.is_none());
    assert_eq!(bench.entry(added[0]).await.reason.as_deref(), Some("refused"));
    bench.recount().await;
    Ok(())
}

pub async fn requests_of_a_batch_that_was_refused_travel_alone(bench: &Bench) -> TestResult {
    let added = bench.add((0..3).map(|n| income("a", &format!("INV-{n}")))).await;
    let batch = bench.claim().await.unwrap();
    bench.settle(&batch, Verdict { alone: true, attempts: Some(1), ..verdict(State::Queued) }).await;
    let later = bench.add([income("a", "INV-3"), income("a", "INV-4")]).await;
    for number in &added {
        let alone = bench.send(State::Taken).await;
        assert_eq!((alone.operation.id, alone.together, numbers(&alone)), ("push_income", false, vec![*number]));
    }
    assert_eq!(numbers(&bench.claim().await.unwrap()), later);
    Ok(())
}

pub async fn the_failure_of_a_batch_leaves_each_of_its_requests_unknown(bench: &Bench) -> TestResult {
    let added = bench.add([income("a", "INV-1"), income("a", "INV-2")]).await;
    let batch = bench.send(State::Taken).await;
    let events = bench.arrive(failure(batch.address.id, "no such account", bench.now() + HOUR)).await.0;
    assert_eq!(events.len(), 2);
    assert_eq!(bench.states(&added).await, [State::Unknown; 2]);
    let reason = bench.entry(added[0]).await.reason;
    assert_eq!(reason.as_deref(), Some("the callback of a batch of 2 reports a failure: no such account"));
    assert!(bench.begin_check().await.is_none());
    bench.pass(HOUR);
    assert!(bench.begin_check().await.is_some());

    // That of a single one is about that one.
    let number = bench.add([sale("b", "SALE-1")]).await[0];
    let batch = bench.send(State::Taken).await;
    bench.arrive(failure(batch.address.id, "no such account", 0)).await;
    let entry = bench.entry(number).await;
    assert_eq!((entry.state, entry.reason.as_deref()), (State::Refused, Some("no such account")));
    bench.recount().await;
    Ok(())
}

pub async fn a_callback_that_is_delivered_twice_changes_nothing_more(bench: &Bench) -> TestResult {
    let added = bench.add([income("a", "INV-1"), income("a", "INV-2")]).await;
    let batch = bench.send(State::Taken).await;
    let send = batch.address.id;
    bench.arrive(failure(send, "no", bench.now())).await;
    let (events, applied) = bench.arrive(failure(send, "no", bench.now())).await;
    assert_eq!((events.len(), applied), (0, Applied::Known));
    // A success after all is evidence; a failure after that is not believed.
    assert_eq!(bench.arrive(arrival(send)).await.0.len(), 2);
    assert!(bench.arrive(failure(send, "no", bench.now())).await.0.is_empty());
    assert_eq!(bench.states(&added).await, [State::Confirmed; 2]);
    Ok(())
}

pub async fn a_callback_of_somebody_else_is_foreign(bench: &Bench) -> TestResult {
    bench.add([income("a", "INV-1")]).await;
    bench.send(State::Taken).await;
    let (events, applied) = bench.arrive(arrival(CallbackId::from_bytes([0xff; 16]))).await;
    assert_eq!((events.len(), applied), (0, Applied::Foreign));
    Ok(())
}

pub async fn a_verdict_can_pause_everything(bench: &Bench) -> TestResult {
    bench.add([income("a", "INV-1"), income("b", "INV-1")]).await;
    let batch = bench.claim().await.unwrap();
    let until = Some(bench.now() + HOUR);
    let pause = Some(NewPause { until, reason: "429\u{0}".to_owned() });
    let settled = settlement(&batch, Verdict { pause, not_before: until, ..verdict(State::Queued) });
    let (_, next) = bench.advance(Some(settled), Some(claim_of(100, 1 << 20))).await;
    assert!(next.is_none());
    bench.pass(HOUR);
    assert!(bench.claim().await.is_some());
    assert!(bench.claim().await.is_some());
    Ok(())
}
