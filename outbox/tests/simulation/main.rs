//! A seeded simulation: the steps of workers over a real SQLite file, a model of the service, and a clock, in a random
//! order, with whatever can fail failing. After every step the invariants are checked.
//!
//! `BDC_SIMULATION_STEPS` sets the number of steps, `BDC_SIMULATION_SEED` repeats a run that failed.

#![allow(clippy::unwrap_used, reason = "the helpers of a test may fail it, as the test may")]

mod invariants;
mod service;
mod world;

use world::World;

/// Steps before everything is left to come to rest, and a new world begins.
const EPOCH: u64 = 400;

#[test]
fn whatever_fails_in_whatever_order_no_request_is_sent_twice_lost_or_confirmed_without_evidence() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let seed = number("BDC_SIMULATION_SEED").unwrap_or_else(|| fastrand::u64(..));
    let steps = number("BDC_SIMULATION_STEPS").unwrap_or(100_000);
    println!("BDC_SIMULATION_SEED={seed} BDC_SIMULATION_STEPS={steps}");
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let mut totals = world::Totals::default();
    for epoch in 0..steps.div_ceil(EPOCH) {
        let mut world = World::new(seed.wrapping_add(epoch));
        runtime.block_on(async {
            for step in 0..EPOCH {
                let done = world.step().await;
                let broken = invariants::check(&mut world).await;
                assert!(
                    broken.is_ok(),
                    "seed {} step {step} ({done}): {}",
                    seed.wrapping_add(epoch),
                    broken.unwrap_err()
                );
            }
            world.rest().await;
            let broken = invariants::at_rest(&mut world).await;
            assert!(broken.is_ok(), "seed {} at rest: {}", seed.wrapping_add(epoch), broken.unwrap_err());
        });
        totals.add(&world.totals);
    }
    println!("{totals:?}");
    assert!(totals.crashes > 0 && totals.sent > 0 && totals.callbacks > 0 && totals.pulls > 0, "{totals:?}");
}
