//! Pushes, replacements, resets and callbacks of one business never affect another, in any order.

mod support;

use std::collections::BTreeMap;

use axum::{Json, Router, extract::Path, routing::post};
use business_data_connector::{
    Connector,
    types::{BusinessData, IncomeRecord},
};
use business_data_connector_sandbox::{DEMO_APIKEY, DEMO_APPID, DEMO_HEADER_KEY, Replies, Sandbox};
use proptest::{
    prelude::{Strategy, prop_oneof},
    strategy::ValueTree,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};
use serde_json::Value;
use support::{TestResult, serve};
use tokio::sync::mpsc;

#[derive(Debug, Clone)]
enum Step {
    Push(usize, u8, u8),
    Reset(usize),
    Pull(usize),
}

const BUSINESSES: usize = 3;

/// The expected state, in a model too simple to mix businesses up.
#[derive(Default, Clone)]
struct Business {
    stored: BTreeMap<String, String>,
    callbacks: BTreeMap<String, usize>,
}

#[tokio::test]
async fn businesses_never_mix() -> TestResult {
    const SEED: [u8; 32] = *b"a fixed seed: every run the same";

    let step = prop_oneof![
        12 => (0..BUSINESSES, 0..6_u8, 0..100_u8).prop_map(|(business, id, amount)| Step::Push(business, id, amount)),
        1 => (0..BUSINESSES).prop_map(Step::Reset),
        2 => (0..BUSINESSES).prop_map(Step::Pull),
    ];
    let (sender, mut received) = mpsc::unbounded_channel::<(usize, Value)>();
    let receive = async move |Path(business): Path<usize>, Json(body): Json<Value>| _ = sender.send((business, body));
    let url = serve(Router::new().route("/{business}", post(receive))).await?;
    let mut runner = TestRunner::new_with_rng(Config::default(), TestRng::from_seed(RngAlgorithm::ChaCha, &SEED));
    for round in 0..20 {
        let steps =
            proptest::collection::vec(step.clone(), 1..80).new_tree(&mut runner).map_err(|e| e.to_string())?.current();
        let sandbox = Sandbox::builder().replies(Replies::Observed).start().await?;
        let builder = Connector::builder().base_url(sandbox.base_url()).credentials(DEMO_APIKEY, DEMO_APPID);
        let connector = builder.header_key(DEMO_HEADER_KEY).build()?;
        let mut uids = Vec::new();
        for number in 0..BUSINESSES {
            let data = BusinessData::new().businessname("B").firstname("F").lastname("L");
            let created = connector.push_business(data.email(format!("{number}@b.example"))).await?.json::<Value>()?;
            uids.push(created["uid"].as_str().ok_or("no uid")?.to_owned());
        }
        let mut model = vec![Business::default(); BUSINESSES];
        for step in &steps {
            let (business, operation) = match *step {
                Step::Push(business, id, amount) => {
                    let record = IncomeRecord::new().id(id.to_string()).amount(amount);
                    connector.push_income(&uids[business], record).webhook(format!("{url}/{business}")).await?;
                    model[business].stored.insert(id.to_string(), amount.to_string());
                    (business, "push_income")
                }
                Step::Reset(business) => {
                    connector.push_reset(&uids[business]).await?;
                    model[business].stored.clear();
                    continue;
                }
                Step::Pull(business) => {
                    connector.pull_income(&uids[business], format!("{url}/{business}")).await?;
                    (business, "pull_income")
                }
            };
            *model[business].callbacks.entry(operation.to_owned()).or_default() += 1;
        }
        let context = format!("round {round}, seed {:?}: {steps:?}", String::from_utf8_lossy(&SEED));
        for (uid, expected) in uids.iter().zip(&model) {
            let mut stored = BTreeMap::new();
            for record in sandbox.records(uid)? {
                let income: IncomeRecord = record.json()?;
                stored.insert(income.id.unwrap_or_default(), income.amount.unwrap_or_default().to_string());
            }
            assert_eq!(stored, expected.stored, "{context}");
        }
        // A stopped sandbox has delivered every callback; further ones would be duplicates.
        sandbox.stop().await?;
        let mut callbacks = vec![BTreeMap::new(); BUSINESSES];
        while let Ok((business, body)) = received.try_recv() {
            assert_eq!(body["received"]["uid"], uids[business].as_str(), "{context}");
            let operation = body["received"]["type"].as_str().unwrap_or_default().to_owned();
            *callbacks[business].entry(operation).or_default() += 1;
        }
        let expected: Vec<_> = model.iter().map(|business| business.callbacks.clone()).collect();
        assert_eq!(callbacks, expected, "{context}");
    }
    Ok(())
}
