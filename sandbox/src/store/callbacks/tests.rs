use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use rusqlite::Connection;
use serde_json::value::RawValue;

use super::{super::schema, *};
use crate::store::responses;

/// A store with finished callbacks.
fn with_finished(rows: u32) -> Result<Connection> {
    let db = Connection::open_in_memory()?;
    schema::create(&db)?;
    schema::start(&db)?;
    db.execute(
        "INSERT INTO callbacks (operation, direction, webhook, uid, created, delivered, finished, size, response)
         WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ?1)
         SELECT 'push_income', 'push', 'http://127.0.0.1:1/', 'demo-business', 0, 1, 1, 2, '{}' FROM n WHERE ?1 > 0",
        [rows],
    )?;
    db.execute("INSERT INTO attempts SELECT id, 0, 'replied 200' FROM callbacks", [])?;
    Ok(db)
}

fn callback<'a>(response: &'a RawValue, uid: Option<&'a str>) -> NewCallback<'a> {
    NewCallback {
        operation: "push_income",
        direction: "push",
        webhook: "http://127.0.0.1:1/",
        uid,
        signature: None,
        response,
        created: 1,
    }
}

fn delivered(db: &Connection, id: i64, keep: u64) -> Result<()> {
    add_attempt(db, id, 2, &AttemptOutcome { delivered: true, message: "replied 200".to_owned() }, None, keep)
}

/// Everything that is done for one delivery.
fn deliver_one(db: &Connection, keep: u64) -> Result<()> {
    add_callback(db, &callback(RawValue::TRUE, Some("demo-business")), Some(1), Hold::None)?;
    let due = due_callbacks(db, 2, 256)?;
    due.iter().try_for_each(|callback| mark_in_progress(db, callback.id))?;
    for callback in due {
        responses::response(db, callback.id)?;
        delivered(db, callback.id, keep)?;
    }
    next_due(db)?;
    any_pending(db)?;
    Ok(())
}

/// How many steps SQLite's virtual machine takes for some work: the same on every machine.
fn steps(db: &Connection, work: impl Fn() -> Result<()>) -> Result<u64> {
    let steps = Arc::<AtomicU64>::default();
    let counter = steps.clone();
    db.progress_handler(
        1,
        Some(move || {
            counter.fetch_add(1, Ordering::Relaxed);
            false
        }),
    )?;
    work()?;
    db.progress_handler(0, None::<fn() -> bool>)?;
    Ok(steps.load(Ordering::Relaxed))
}

#[test]
fn a_delivery_costs_the_same_whatever_was_delivered_before() -> Result<()> {
    let mut costs = Vec::new();
    for rows in [100, 1_000, 100_000] {
        let db = with_finished(rows)?;
        // Statements are prepared first.
        deliver_one(&db, u64::MAX)?;
        costs.push(steps(&db, || deliver_one(&db, u64::MAX))?);
    }
    let most = costs.iter().max().unwrap();
    assert!(*most > 0 && most * 10 <= costs[0] * 11, "{costs:?}");
    Ok(())
}

#[test]
fn what_a_delivery_runs_scans_no_table() -> Result<()> {
    let db = with_finished(10)?;
    for sql in [DUE, RELEASE_OVERTAKEN, RELEASE_FOLLOWING, OLD, ANY_PENDING, NEXT_DUE] {
        let mut statement = db.prepare(&format!("EXPLAIN QUERY PLAN {sql}"))?;
        let parameters = statement.parameter_count();
        let plan: Vec<String> = statement
            .query_map(rusqlite::params_from_iter(vec![1; parameters]), |row| row.get("detail"))?
            .collect::<Result<_, _>>()?;
        for step in &plan {
            let scans = step.starts_with("SCAN") && !step.contains("INDEX") && !step.contains("CONSTANT ROW");
            assert!(!scans || step.contains("sqlite_sequence"), "{sql}: {plan:?}");
        }
    }
    Ok(())
}

#[test]
fn of_the_finished_callbacks_the_last_are_kept_and_of_the_waiting_all() -> Result<()> {
    let db = with_finished(50)?;
    let waiting = add_callback(&db, &callback(RawValue::TRUE, None), Some(i64::MAX), Hold::None)?;
    for _ in 0..30 {
        deliver_one(&db, 10)?;
    }
    let ids: Vec<_> = callbacks_before(&db, i64::MAX, 1000)?.iter().map(|row| row.id).collect();
    let expected: Vec<_> = (72..=81).rev().chain([waiting]).collect();
    assert_eq!(ids, expected);
    let attempts: i64 = db.query_row("SELECT count(*) FROM attempts", [], |row| row.get(0))?;
    assert_eq!(attempts, 10);
    Ok(())
}

#[test]
fn a_large_response_is_stored_once_and_until_its_last_callback_is_finished() -> Result<()> {
    let db = with_finished(0)?;
    let response = RawValue::from_string(format!("\"{}\"", "x".repeat(MAX_INLINE)))?;
    let add = || add_callback(&db, &callback(&response, None), Some(1), Hold::None);
    let ids = [add()?, add()?, add()?];
    let stored = || db.query_row("SELECT count(*) FROM responses", [], |row| row.get::<_, i64>(0));
    for id in ids {
        assert_eq!(stored()?, 1);
        assert_eq!(responses::response(&db, id)?.map(|response| response.get().len()), Some(MAX_INLINE + 2));
        delivered(&db, id, 10)?;
        assert!(responses::response(&db, id)?.is_none());
    }
    assert_eq!(stored()?, 0);
    // It is not shown, but its length is.
    let rows = callbacks_before(&db, i64::MAX, 1)?;
    assert!(rows[0].response.is_none() && rows[0].size == i64::try_from(MAX_INLINE).unwrap() + 2);
    Ok(())
}
