//! What is pushed, replaced and reset for one business never touches another, whatever the order.

use std::{collections::BTreeMap, error::Error};

use business_data_connector::{Connector, types::IncomeRecord};
use business_data_connector_sandbox::{DEMO_APIKEY, DEMO_APPID, DEMO_HEADER_KEY, Sandbox};
use proptest::{
    prelude::{Strategy, prop_oneof},
    strategy::ValueTree,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};

#[derive(Debug, Clone)]
enum Step {
    Push(usize, u8, u8),
    Reset(usize),
}

const BUSINESSES: usize = 3;

#[tokio::test]
async fn businesses_never_mix() -> Result<(), Box<dyn Error>> {
    const SEED: [u8; 32] = *b"the same steps at every run ....";

    let step = prop_oneof![
        12 => (0..BUSINESSES, 0..6_u8, 0..100_u8).prop_map(|(business, id, amount)| Step::Push(business, id, amount)),
        1 => (0..BUSINESSES).prop_map(Step::Reset),
    ];
    let mut runner = TestRunner::new_with_rng(Config::default(), TestRng::from_seed(RngAlgorithm::ChaCha, &SEED));
    for round in 0..20 {
        let steps =
            proptest::collection::vec(step.clone(), 1..80).new_tree(&mut runner).map_err(|e| e.to_string())?.current();
        let sandbox = Sandbox::builder().replies(business_data_connector_sandbox::Replies::Observed).start().await?;
        let builder = Connector::builder().base_url(sandbox.base_url()).credentials(DEMO_APIKEY, DEMO_APPID);
        let connector = builder.header_key(DEMO_HEADER_KEY).build()?;
        let mut uids = Vec::new();
        for number in 0..BUSINESSES {
            let business = business_data_connector::types::BusinessData::new().email(format!("{number}@b.example"));
            let created = connector.push_business(business).await?.json::<serde_json::Value>()?;
            uids.push(created["uid"].as_str().ok_or("no uid")?.to_owned());
        }
        // What should be there, as a model that cannot mix anything up.
        let mut model = vec![BTreeMap::new(); BUSINESSES];
        for step in &steps {
            match *step {
                Step::Push(business, id, amount) => {
                    let record = IncomeRecord::new().id(id.to_string()).amount(amount);
                    connector.push_income(&uids[business], record).await?;
                    model[business].insert(id.to_string(), amount.to_string());
                }
                Step::Reset(business) => {
                    connector.push_reset(&uids[business]).await?;
                    model[business].clear();
                }
            }
        }
        for (uid, wanted) in uids.iter().zip(&model) {
            let mut held = BTreeMap::new();
            for record in sandbox.records(uid)? {
                let income: IncomeRecord = record.json()?;
                held.insert(income.id.unwrap_or_default(), income.amount.unwrap_or_default().to_string());
            }
            assert_eq!(&held, wanted, "round {round}, seed {:?}: {steps:?}", String::from_utf8_lossy(&SEED));
        }
    }
    Ok(())
}
