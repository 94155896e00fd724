//! Every state, and everything that may happen to a request in it.

use business_data_connector::callback::CallbackId;
use business_data_connector_outbox::{DecisionKind, OutboxError, State, testing::Verdict};

use super::bench::{Bench, HOUR, TestResult, arrival, failure, income, settlement, verdict};

#[derive(Debug, Clone, Copy, PartialEq)]
enum Action {
    Answer,
    Success,
    Failure,
    Found,
    Crash,
    Silence,
    Decide(DecisionKind),
}

const ACTIONS: [Action; 9] = [
    Action::Answer,
    Action::Success,
    Action::Failure,
    Action::Found,
    Action::Crash,
    Action::Silence,
    Action::Decide(DecisionKind::Resend),
    Action::Decide(DecisionKind::Accept),
    Action::Decide(DecisionKind::Drop),
];

/// Where an action leads from a state; `None` if nowhere.
fn expected(from: State, action: Action) -> Option<State> {
    use State::{Confirmed, Dropped, Parked, Queued, Refused, Sending, Taken, Unconfirmed, Unknown};
    match (action, from) {
        (Action::Answer, Sending) => Some(Taken),
        (Action::Success, Sending | Taken | Unknown | Unconfirmed)
        | (Action::Found, Unknown | Unconfirmed)
        | (Action::Decide(DecisionKind::Accept), Taken | Unknown | Unconfirmed) => Some(Confirmed),
        (Action::Failure, Sending | Taken | Unknown | Unconfirmed) => Some(Refused),
        (Action::Crash, Sending) => Some(Unknown),
        (Action::Silence, Taken) => Some(Unconfirmed),
        (Action::Decide(DecisionKind::Resend), Unknown | Unconfirmed | Refused | Parked) => Some(Queued),
        (Action::Decide(DecisionKind::Drop), Queued | Unknown | Unconfirmed | Refused | Parked) => Some(Dropped),
        _ => None,
    }
}

/// A request that is in a state, and the address with which it was sent, if it was.
async fn reach(bench: &Bench, uid: &str, state: State) -> (i64, Option<CallbackId>) {
    let number = bench.add([income(uid, "INV-1")]).await[0];
    let send = match state {
        State::Queued => None,
        State::Dropped => {
            bench.decide(number, DecisionKind::Drop).await.unwrap();
            None
        }
        State::Sending => bench.claim().await.map(|batch| batch.address.id),
        State::Confirmed => {
            let send = bench.send(State::Taken).await.address.id;
            bench.arrive(arrival(send)).await;
            Some(send)
        }
        State::Unconfirmed => {
            let send = bench.send(State::Taken).await.address.id;
            bench.maintain(0, &[], 100).await;
            Some(send)
        }
        state => Some(bench.send(state).await.address.id),
    };
    assert_eq!(bench.state(number).await, state);
    (number, send)
}

/// Lets something happen. Returns whether the store refused it.
async fn act(bench: &Bench, uid: &str, number: i64, send: Option<CallbackId>, action: Action) -> bool {
    let send = send.unwrap_or(CallbackId::from_bytes([0xee; 16]));
    match action {
        Action::Answer => {
            let settled = settlement_of(send, uid, verdict(State::Taken));
            bench.advance(Some(settled), None).await;
        }
        Action::Success => drop(bench.arrive(arrival(send)).await),
        Action::Failure => drop(bench.arrive(failure(send, "no", 0)).await),
        Action::Found => {
            // Another record of the business makes it be pulled.
            bench.add([income(uid, "INV-2")]).await;
            let other = bench.claim_of_business(uid).await;
            if let Some(other) = other {
                let due = Verdict { check_at: Some(bench.now()), ..verdict(State::Unknown) };
                bench.settle(&other, due).await;
            }
            while let Some(check) = bench.begin_check().await {
                bench.pulled(&check, &["INV-1"]).await;
            }
        }
        Action::Crash => {
            bench.pass(HOUR);
            bench.recover().await;
        }
        Action::Silence => drop(bench.maintain(0, &[], 100).await),
        Action::Decide(kind) => match bench.decide(number, kind).await {
            Ok(event) => assert_eq!((event.number, event.uid.as_deref()), (number, Some(uid))),
            Err(OutboxError::NotPossible { .. }) => return true,
            Err(error) => panic!("{error}"),
        },
    }
    false
}

fn settlement_of(send: CallbackId, uid: &str, verdict: Verdict) -> business_data_connector_outbox::testing::Settlement {
    business_data_connector_outbox::testing::Settlement { send, uid: uid.to_owned(), verdict }
}

impl Bench {
    /// Claims for a business what comes after what it has under way, if that is possible.
    async fn claim_of_business(&self, uid: &str) -> Option<business_data_connector_outbox::testing::Batch> {
        while let Some(batch) = self.claim().await {
            if batch.uid == uid {
                return Some(batch);
            }
            self.advance(Some(settlement(&batch, verdict(State::Parked))), None).await;
        }
        None
    }
}

pub async fn every_action_moves_a_request_from_the_states_that_it_may_and_from_no_other(bench: &Bench) -> TestResult {
    for from in State::ALL {
        for action in ACTIONS {
            // A queued request would be claimed with the other record, which is another case.
            if action == Action::Found && from == State::Queued {
                continue;
            }
            let uid = format!("{from}-{action:?}").to_lowercase();
            let (number, send) = reach(bench, &uid, from).await;
            let refused = act(bench, &uid, number, send, action).await;
            let to = expected(from, action);
            assert_eq!(bench.state(number).await, to.unwrap_or(from), "{action:?} of what is {from}");
            assert_eq!(refused, to.is_none() && matches!(action, Action::Decide(_)), "{action:?} of what is {from}");
            bench.recount().await;
            // What is left is not claimed by the next case.
            for entry in bench.store.entries(Some(State::Queued), 0, 100).await? {
                bench.decide(entry.number, DecisionKind::Drop).await?;
            }
        }
    }
    Ok(())
}
