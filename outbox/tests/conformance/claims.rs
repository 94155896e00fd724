//! What is sent next, and with what.

use std::collections::HashSet;

use business_data_connector_outbox::State;

use super::bench::{
    Bench, TestResult, WITHOUT_ADDRESS, arrival, claim_of, expense, income, numbers, reset, sale, settlement, verdict,
};

fn incomes(uid: &str, count: usize) -> Vec<business_data_connector_outbox::Staged> {
    (0..count).map(|n| income(uid, &format!("INV-{n}"))).collect()
}

pub async fn requests_of_a_business_leave_in_the_order_in_which_they_were_added(bench: &Bench) -> TestResult {
    let added =
        bench.add([sale("a", "1"), income("a", "2"), income("a", "3"), reset("a"), income("a", "4"), sale("a", "5")]);
    let added = added.await;
    let mut sent = Vec::new();
    let mut operations = Vec::new();
    while let Some(batch) = bench.claim().await {
        sent.extend(numbers(&batch));
        operations.push(batch.operation.id);
        bench.settle(&batch, verdict(State::Taken)).await;
    }
    assert_eq!(sent, added);
    assert_eq!(operations, ["push_sale", "push_many", "push_reset", "push_many", "push_sale"]);
    bench.recount().await;
    Ok(())
}

pub async fn businesses_take_turns(bench: &Bench) -> TestResult {
    for uid in ["a", "b", "c"] {
        bench.add(incomes(uid, 3)).await;
    }
    let (mut served, mut settled) = (Vec::new(), None);
    for _ in 0..9 {
        let batch = bench.advance(settled, Some(claim_of(1, 1 << 20))).await.1.unwrap();
        settled = Some(settlement(&batch, verdict(State::Taken)));
        served.push(batch.uid);
    }
    for round in served.chunks(3) {
        assert_eq!(round.iter().collect::<HashSet<_>>().len(), 3, "{served:?}");
    }

    // One that comes later does not wait for the backlog of another.
    bench.advance(settled.take(), None).await;
    bench.add(incomes("d", 100)).await;
    let first = bench.advance(None, Some(claim_of(1, 1 << 20))).await.1.unwrap();
    bench.add([income("e", "INV-1")]).await;
    let settled = Some(settlement(&first, verdict(State::Taken)));
    let second = bench.advance(settled, Some(claim_of(1, 1 << 20))).await.1.unwrap();
    assert_eq!((first.uid.as_str(), second.uid.as_str()), ("d", "e"));
    Ok(())
}

pub async fn one_batch_of_a_business_is_under_way_at_a_time(bench: &Bench) -> TestResult {
    bench.add(incomes("a", 2)).await;
    let first = bench.advance(None, Some(claim_of(1, 1 << 20))).await.1.unwrap();
    assert!(bench.claim().await.is_none());
    // A callback does not end the call.
    bench.arrive(arrival(first.address.id)).await;
    assert!(bench.claim().await.is_none());
    let (events, second) =
        bench.advance(Some(settlement(&first, verdict(State::Taken))), Some(claim_of(1, 1 << 20))).await;
    assert_eq!(numbers(&second.unwrap()).len(), 1);
    let moves: Vec<_> = events.iter().map(|event| (event.from, event.to)).collect();
    assert_eq!(moves, [(State::Queued, State::Sending)]);
    Ok(())
}

pub async fn income_and_expenses_travel_together_and_other_records_on_their_own(bench: &Bench) -> TestResult {
    let added = [income("a", "1"), expense("a", "1"), sale("a", "1"), sale("a", "2"), income("a", "2")];
    let added = bench.add(added).await;
    let many = bench.send(State::Taken).await;
    assert_eq!((many.operation.id, many.together, numbers(&many)), ("push_many", true, added[..2].to_vec()));
    let members: Vec<_> = many.rows.iter().map(|row| row.member).collect();
    assert_eq!(members, [Some("income"), Some("expenses")]);
    for number in &added[2..4] {
        let alone = bench.send(State::Taken).await;
        assert_eq!((alone.operation.id, alone.together, numbers(&alone)), ("push_sale", false, vec![*number]));
        assert_eq!(alone.rows[0].member, None);
    }
    assert_eq!(numbers(&bench.claim().await.unwrap()), added[4..]);
    Ok(())
}

pub async fn a_batch_has_at_most_so_many_records(bench: &Bench) -> TestResult {
    bench.add(incomes("a", 7)).await;
    let mut sizes = Vec::new();
    while let Some(batch) = bench.advance(None, Some(claim_of(3, 1 << 20))).await.1 {
        sizes.push(batch.rows.len());
        bench.settle(&batch, verdict(State::Taken)).await;
    }
    assert_eq!(sizes, [3, 3, 1]);
    Ok(())
}

pub async fn a_batch_has_at_most_so_many_bytes_and_a_giant_travels_alone(bench: &Bench) -> TestResult {
    let small = income("a", "INV-1").request().len();
    let giant = "x".repeat(10 * small);
    let mut records = incomes("a", 4);
    records.insert(2, income("a", &giant));
    bench.add(records).await;
    let mut sizes = Vec::new();
    while let Some(batch) = bench.advance(None, Some(claim_of(100, 3 * small))).await.1 {
        sizes.push(batch.rows.len());
        bench.settle(&batch, verdict(State::Taken)).await;
    }
    assert_eq!(sizes, [2, 1, 2]);
    Ok(())
}

pub async fn a_business_without_an_address_is_parked_and_stops_nobody(bench: &Bench) -> TestResult {
    let parked = bench.add(incomes(WITHOUT_ADDRESS, 2)).await;
    let other = bench.add([income("b", "INV-1")]).await;
    let (events, batch) = bench.advance(None, Some(claim_of(100, 1 << 20))).await;
    assert_eq!(numbers(&batch.unwrap()), other);
    assert_eq!(events.last().map(|event| (event.number, event.to)), Some((other[0], State::Sending)));
    assert!(bench.claim().await.is_none());
    assert_eq!(bench.states(&parked).await, [State::Parked; 2]);
    assert_eq!(bench.entry(parked[0]).await.reason.as_deref(), Some("there is no address"));
    bench.recount().await;
    Ok(())
}

pub async fn claims_at_the_same_time_never_return_a_request_twice(bench: &Bench) -> TestResult {
    for uid in 0..5 {
        bench.add(incomes(&format!("business-{uid}"), 40)).await;
    }
    let sender = || async {
        let (mut sent, mut settled, mut idle) = (Vec::new(), None, 0);
        // A claim may find nothing because every business is being looked at.
        while idle < 20 {
            let (_, batch) = bench.advance(settled.take(), Some(claim_of(3, 1 << 20))).await;
            match batch {
                Some(batch) => {
                    idle = 0;
                    sent.extend(numbers(&batch).into_iter().map(|number| (batch.uid.clone(), number)));
                    settled = Some(settlement(&batch, verdict(State::Taken)));
                }
                None => idle += 1,
            }
        }
        sent
    };
    let sent = futures_util::future::join_all((0..4).map(|_| sender())).await.concat();
    assert_eq!(sent.len(), 200);
    assert_eq!(sent.iter().collect::<HashSet<_>>().len(), 200);
    assert_eq!(bench.store.counts().await?.get(State::Taken), 200);
    bench.recount().await;
    Ok(())
}
