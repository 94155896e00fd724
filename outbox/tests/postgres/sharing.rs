//! Tables that others write to as well.

use business_data_connector::types::{IncomeRecord, PushIncomeRequest};
use business_data_connector_outbox::{
    Outbox, POSTGRES_MIGRATIONS, Staged, State,
    deadpool_postgres::{
        GenericClient, Pool,
        tokio_postgres::{Error, types::ToSql},
    },
    testing::{Verdict, postgres_store, postgres_store_with_its_clock},
};

use crate::{
    cluster::{Cluster, pool},
    suite::bench::{Bench, HOUR, TestResult, arrival, claim_of, income, numbers, reset, sale, settlement, verdict},
};

async fn insert(client: &impl GenericClient, staged: &Staged) -> Result<u64, Error> {
    let values: [&(dyn ToSql + Sync); 4] = [&staged.uid(), &staged.operation(), &staged.record_id(), &staged.request()];
    client.execute(Staged::POSTGRES, &values).await
}

async fn bench(pool: &Pool) -> Result<Bench, Box<dyn std::error::Error>> {
    Ok(Bench::new(postgres_store(pool.clone()).await?))
}

pub async fn tables_are_made_once_and_not_before_somebody_says_so(cluster: &Cluster) -> TestResult {
    let (pool, _) = cluster.empty_database("tables").await;
    let error = Outbox::postgres(pool.clone()).await.unwrap_err().to_string();
    assert!(error.contains("run `Outbox::migrate_postgres`"), "{error}");
    let (first, second) = tokio::join!(Outbox::migrate_postgres(&pool), Outbox::migrate_postgres(&pool));
    first.and(second)?;
    Outbox::postgres(pool.clone()).await?;

    let client = pool.get().await?;
    client.batch_execute("INSERT INTO bdc_outbox.migrations (version, oldest) VALUES (2, 1)").await?;
    Outbox::postgres(pool.clone()).await?;
    client.batch_execute("UPDATE bdc_outbox.migrations SET oldest = 2 WHERE version = 2").await?;
    let error = Outbox::postgres(pool.clone()).await.unwrap_err().to_string();
    assert!(error.contains("version 2, which this library does not know"), "{error}");

    // The text can be run by whatever runs the other migrations of an application.
    let (pool, _) = cluster.empty_database("pasted").await;
    for sql in POSTGRES_MIGRATIONS {
        pool.get().await?.batch_execute(sql).await?;
    }
    Outbox::migrate_postgres(&pool).await?;
    Outbox::postgres(pool).await?;
    Ok(())
}

pub async fn requests_are_added_in_a_transaction_of_the_application(cluster: &Cluster) -> TestResult {
    let (pool, _) = cluster.database("transactions").await;
    let bench = bench(&pool).await?;
    let mut client = pool.get().await?;
    let rolled_back = client.transaction().await?;
    assert_eq!(insert(&rolled_back, &income("a", "INV-1")).await?, 1);
    rolled_back.rollback().await?;
    assert!(bench.claim().await.is_none());

    let committed = client.transaction().await?;
    assert_eq!(insert(&committed, &income("a", "INV-1")).await?, 1);
    assert_eq!(insert(&committed, &income("a", "INV-1")).await?, 0, "it is there");
    committed.commit().await?;
    let record = IncomeRecord::new().id("INV-1").notes("corrected");
    let other = Staged::new(&PushIncomeRequest::new("a", record))?;
    let error = insert(&client, &other).await.unwrap_err();
    let error = error.as_db_error().unwrap();
    assert_eq!((error.code().code(), error.message()), ("23505", "the outbox has another record with this id"));
    assert_eq!(bench.claim().await.unwrap().rows.len(), 1);
    assert_eq!(insert(&client, &income("a", "INV-1")).await?, 0);
    bench.recount().await;
    Ok(())
}

pub async fn a_transaction_that_is_open_delays_nobody_else(cluster: &Cluster) -> TestResult {
    let (pool, _) = cluster.database("open").await;
    let bench = bench(&pool).await?;
    let added = bench.add([income("a", "INV-1"), income("a", "INV-2"), income("b", "INV-1")]).await;
    let (mut first, mut second) = (pool.get().await?, pool.get().await?);
    let open = first.transaction().await?;
    // The same once more locks what is there.
    insert(&open, &income("a", "INV-2")).await?;
    insert(&open, &income("a", "INV-3")).await?;
    let other = second.transaction().await?;
    insert(&other, &income("a", "INV-4")).await?;
    other.commit().await?;

    let (one, two) = (bench.claim().await.unwrap(), bench.claim().await.unwrap());
    let mut claimed = [numbers(&one).len(), numbers(&two).len()];
    claimed.sort_unstable();
    assert_eq!(claimed, [1, 3], "what is locked is sent, and what is not committed is not");
    assert_eq!(added.len() + 1, claimed.iter().sum::<usize>());
    bench.settle(&one, verdict(State::Taken)).await;
    bench.settle(&two, verdict(State::Taken)).await;
    assert!(bench.claim().await.is_none());
    open.commit().await?;
    assert_eq!(bench.claim().await.unwrap().rows.len(), 1);
    Ok(())
}

pub async fn a_request_that_is_committed_late_does_not_overtake_a_reset(cluster: &Cluster) -> TestResult {
    let (pool, _) = cluster.database("late").await;
    let bench = bench(&pool).await?;
    let mut client = pool.get().await?;
    let open = client.transaction().await?;
    insert(&open, &income("a", "INV-1")).await?;
    bench.add([reset("a"), income("a", "INV-2")]).await;
    bench.send(State::Unknown).await;
    open.commit().await?;
    bench.pass(HOUR);
    let batch = bench.claim().await.unwrap();
    assert_eq!(batch.rows.len(), 1, "what comes after the reset waits for its fate");
    Ok(())
}

pub async fn a_worker_whose_clock_is_wrong_waits_as_long_as_any_other(cluster: &Cluster) -> TestResult {
    let (pool, _) = cluster.database("clocks").await;
    // Its clock is years behind.
    let bench = Bench::new(postgres_store_with_its_clock(pool.clone()).await?);
    let number = bench.add([income("a", "INV-1")]).await[0];
    let batch = bench.claim().await.unwrap();
    assert!(bench.recover().await.is_empty(), "the lease has begun");
    let added = bench.entry(number).await.added;
    assert!(bench.entry(number).await.since >= added);
    let not_before = |millis| Verdict { not_before: Some(bench.now() + millis), ..verdict(State::Queued) };
    bench.settle(&batch, not_before(0)).await;
    let batch = bench.claim().await.unwrap();
    bench.settle(&batch, not_before(HOUR)).await;
    assert!(bench.claim().await.is_none());
    let client = pool.get().await?;
    let sql = "SELECT not_before - clock_timestamp() BETWEEN '59 minutes' AND '60 minutes' FROM bdc_outbox.lanes";
    assert!(client.query_one(sql, &[]).await?.get::<_, bool>(0));
    Ok(())
}

pub async fn an_application_needs_no_more_than_to_add(cluster: &Cluster) -> TestResult {
    let (pool_of_owner, address) = cluster.database("roles").await;
    let owner = pool_of_owner.get().await?;
    owner
        .batch_execute(
            "CREATE ROLE application LOGIN; GRANT USAGE ON SCHEMA bdc_outbox TO application;
             GRANT SELECT, INSERT, UPDATE (request) ON bdc_outbox.records TO application;",
        )
        .await?;
    let client = pool(&address.replace("user=bdc", "user=application")).get().await?;
    assert_eq!(insert(&client, &sale("a", "SALE-1")).await?, 1);
    assert_eq!(insert(&client, &sale("a", "SALE-1")).await?, 0);
    assert!(client.batch_execute("UPDATE bdc_outbox.records SET state = 3").await.is_err());
    assert!(client.batch_execute("UPDATE bdc_outbox.records SET request = '{}'").await.is_err());
    assert!(client.batch_execute("DELETE FROM bdc_outbox.records").await.is_err());
    Ok(())
}

pub async fn an_operator_reads_states_and_may_remove_requests(cluster: &Cluster) -> TestResult {
    let (pool, _) = cluster.database("operator").await;
    let (bench, client) = (bench(&pool).await?, pool.get().await?);
    let added = bench.add([income("a", "INV-1"), income("a", "INV-2"), sale("a", "SALE-1"), sale("b", "SALE-1")]).await;
    let states = || async {
        let rows = client.query("SELECT state FROM bdc_outbox.requests ORDER BY number", &[]).await?;
        Ok::<_, Error>(rows.iter().map(|row| row.get(0)).collect::<Vec<i16>>())
    };
    assert_eq!(states().await?, [0; 4]);
    let batch = bench.claim().await.unwrap();
    assert_eq!(states().await?, [1, 1, 0, 0]);
    bench.settle(&batch, verdict(State::Taken)).await;
    assert_eq!(states().await?, [2, 2, 0, 0]);
    bench.arrive(arrival(batch.address.id)).await;
    assert_eq!(states().await?, [3, 3, 0, 0]);

    client.execute("DELETE FROM bdc_outbox.records WHERE number IN ($1, $2)", &[&added[0], &added[3]]).await?;
    assert_eq!(states().await?, [3, 0]);
    bench.recount().await;
    assert_eq!(numbers(&bench.claim().await.unwrap()), added[2..3]);
    assert!(bench.claim().await.is_none());
    Ok(())
}

pub async fn a_statement_that_fails_is_told_and_leaves_nothing_behind(cluster: &Cluster) -> TestResult {
    let (pool, _) = cluster.database("failing").await;
    let (bench, client) = (bench(&pool).await?, pool.get().await?);
    let added = bench.add([income("a", "INV-1"), income("a", "INV-2"), sale("a", "SALE-1")]).await;
    let forbid = |condition: &str| format!("ALTER TABLE bdc_outbox.sends ADD CONSTRAINT forbidden CHECK ({condition})");
    let allow = "ALTER TABLE bdc_outbox.sends DROP CONSTRAINT forbidden";
    let advance = |settled| bench.store.advance(bench.now(), settled, Some(claim_of(100, 1 << 20)));

    // The last statement of a transaction, which is sent together with the commit.
    client.batch_execute(&forbid("records < 2")).await?;
    let error = advance(None).await.unwrap_err().to_string();
    assert!(error.contains("\"forbidden\" (23514)"), "{error}");
    client.batch_execute(allow).await?;
    assert_eq!(bench.states(&added).await, [State::Queued; 3]);
    let batch = bench.claim().await.unwrap();
    assert_eq!(numbers(&batch), added[..2]);

    // One of several that are sent at once.
    client.batch_execute(&forbid("state <> 2")).await?;
    let settled = settlement(&batch, verdict(State::Taken));
    assert!(advance(Some(settled.clone())).await.is_err());
    client.batch_execute(allow).await?;
    assert_eq!(bench.states(&added).await, [State::Sending, State::Sending, State::Queued]);
    let next = advance(Some(settled)).await?.1.unwrap();
    assert_eq!(numbers(&next), added[2..]);

    client.batch_execute(&forbid("state <> 3")).await?;
    assert!(bench.store.arrived(bench.now(), arrival(batch.address.id)).await.is_err());
    client.batch_execute(allow).await?;
    assert_eq!(bench.arrive(arrival(batch.address.id)).await.0.len(), 2);
    bench.recount().await;
    Ok(())
}
