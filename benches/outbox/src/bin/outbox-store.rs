//! What the store in a file takes for the batches of a run, without a connector and without waiting for the disk:
//! `cargo run --release -p outbox-speed --features store --bin outbox-store`.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::Result;
use business_data_connector::{
    Decimal,
    callback::{CallbackId, CallbackKey},
    inbox::Inbox,
    types::{IncomeRecord, PushIncomeRequest},
};
use business_data_connector_outbox::{
    OutboxError, Staged, State,
    testing::{self, Addresses, Arrival, Claim, Limits, Settlement, Store, Verdict},
};

const UID: &str = "demo-business";
const RECORDS: u32 = 50_000;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let store = testing::sqlite_store(&folder.path().join("outbox.db"))?;
    let requests = (0..RECORDS).map(|number| Staged::new(&PushIncomeRequest::new(UID, income(number))));
    let requests = requests.collect::<Result<Vec<_>, _>>()?;
    let begun = Instant::now();
    for chunk in requests.chunks(500) {
        store.add(chunk.to_vec()).await?;
    }
    println!("add: {:.1} µs a record", micros(begun.elapsed(), RECORDS));
    let (sends, advance) = send(&*store).await?;
    let batches = u32::try_from(sends.len())?;
    let begun = Instant::now();
    for send in sends {
        let arrival = Arrival { send, failed: false, message: None, found: None, check_at: 0, resend_absent: false };
        store.arrived(0, arrival).await?;
    }
    println!("advance: {:.0} µs a batch", micros(advance, batches));
    println!("arrived: {:.0} µs a batch", micros(begun.elapsed(), batches));
    Ok(())
}

/// Takes every batch, and says that the service has taken it. Returns the numbers of the batches, and the time.
async fn send(store: &dyn Store) -> Result<(Vec<CallbackId>, Duration)> {
    let addresses = addresses()?;
    let limits = Limits { records: 100, bytes: 1 << 20 };
    let (mut settled, mut sends, mut advance) = (None, Vec::new(), Duration::ZERO);
    loop {
        let begun = Instant::now();
        let claim = Claim { limits, addresses: addresses.clone(), lease: Duration::from_secs(60) };
        let (_, batch) = store.advance(0, settled.take(), Some(claim)).await?;
        advance += begun.elapsed();
        let Some(batch) = batch else { return Ok((sends, advance)) };
        sends.push(batch.address.id);
        settled = Some(Settlement { send: batch.address.id, uid: batch.uid, verdict: taken() });
    }
}

fn taken() -> Verdict {
    Verdict {
        state: State::Taken,
        reason: None,
        check_at: None,
        alone: false,
        attempts: None,
        not_before: None,
        pause: None,
    }
}

fn addresses() -> Result<Addresses> {
    let key = CallbackKey::new(1, b"32 bytes that the programs share")?;
    let inbox = Inbox::builder("http://127.0.0.1:9", key).build()?;
    Ok(Arc::new(move |operation, uid| {
        let address = inbox.address_for(operation, uid).map_err(|error| OutboxError::Invalid(error.to_string()))?;
        Ok(testing::Address { id: address.id(), url: address.as_str().to_owned(), signature: String::new() })
    }))
}

fn income(number: u32) -> IncomeRecord {
    let record = IncomeRecord::new().id(format!("INV-{number}")).currency("ZAR").date("2026-03-31");
    record.name("A customer of the shop").category("Sales").amount(Decimal::from(number))
}

fn micros(time: Duration, count: u32) -> f64 {
    time.as_secs_f64() * 1e6 / f64::from(count)
}
