//! Injected faults, as a client meets them.

mod support;

use axum::{body::Bytes, http::StatusCode};
use business_data_connector::{Connector, Reply, RetryPolicy, types::IncomeRecord};
use business_data_connector_sandbox::{
    CallbackState, DEMO_APIKEY, DEMO_APPID, DEMO_BUSINESS, Fault, FaultRule, Sandbox,
};
use serde_json::Value;
use support::{TestResult, serve};
use tokio::sync::mpsc;

async fn start() -> TestResult<(Sandbox, Connector)> {
    let sandbox = Sandbox::builder().clock("100x".parse()?).start().await?;
    let builder = Connector::builder().base_url(sandbox.base_url()).credentials(DEMO_APIKEY, DEMO_APPID);
    let connector = builder.retry_policy(RetryPolicy::never()).build()?;
    Ok((sandbox, connector))
}

/// Pushes income that requests a fault in its notes.
async fn push(connector: &Connector, fault: &str) -> Result<Reply, business_data_connector::Error> {
    let notes = format!("paid late sandbox:{fault} and in parts");
    connector.push_income(DEMO_BUSINESS, IncomeRecord::new().notes(notes)).await
}

#[tokio::test]
async fn a_fault_that_replaces_the_reply_stores_nothing() -> TestResult {
    let (sandbox, connector) = start().await?;
    for (fault, status) in [("429=7", 429), ("500", 500), ("502", 502), ("504", 504), ("error-true", 200), ("401", 401)]
    {
        let error = push(&connector, fault).await.err().ok_or(fault)?;
        assert_eq!(error.status().map(|got| got.as_u16()), Some(status), "{fault}: {error:?}");
        let reply = error.reply().ok_or("no reply")?;
        match fault {
            "429=7" => assert_eq!(reply.headers()["retry-after"], "7"),
            "502" | "504" => {
                assert!(reply.headers()["content-type"] == "text/html" && reply.text().starts_with("<html>"))
            }
            "error-true" => assert!(error.is_refused()),
            "401" => assert!(error.is_unauthorized() && reply.bytes().is_empty()),
            _ => {}
        }
    }
    let error = push(&connector, "reset-before").await.err().ok_or("it was accepted")?;
    assert!(error.is_outcome_unknown(), "{error:?}");
    assert_eq!(sandbox.records(DEMO_BUSINESS)?.len(), 0);
    let faults: Vec<_> =
        sandbox.requests().iter().filter_map(|request| request.fault).map(|fault| fault.to_string()).collect();
    assert_eq!(faults, ["429=7", "500", "502", "504", "error-true", "401", "reset-before"]);
    Ok(())
}

#[tokio::test]
async fn a_reset_or_cut_after_storing_leaves_one_record_and_an_unknown_outcome() -> TestResult {
    for fault in ["reset-after", "cut"] {
        let (sandbox, connector) = start().await?;
        let error = push(&connector, fault).await.err().ok_or(fault)?;
        assert!(error.is_outcome_unknown(), "{fault}: {error:?}");
        assert_eq!(error.status().map(|status| status.as_u16()), (fault == "cut").then_some(200));
        assert_eq!(sandbox.records(DEMO_BUSINESS)?.len(), 1, "{fault}");
    }
    Ok(())
}

#[tokio::test]
async fn latency_delays_and_changes_nothing_else() -> TestResult {
    let (sandbox, connector) = start().await?;
    push(&connector, "latency=1").await?;
    assert_eq!(sandbox.records(DEMO_BUSINESS)?.len(), 1);
    // Longer than the client waits.
    let notes = IncomeRecord::new().notes("sandbox:latency=60000");
    let call = connector.push_income(DEMO_BUSINESS, notes).timeout(std::time::Duration::from_millis(50));
    assert!(call.await.is_err_and(|error| error.is_timeout() && error.is_outcome_unknown()));
    assert_eq!(sandbox.records(DEMO_BUSINESS)?.len(), 2);
    assert_eq!(sandbox.requests().len(), 2);
    Ok(())
}

#[tokio::test]
async fn a_rule_applies_to_as_many_requests_as_it_says() -> TestResult {
    let (sandbox, connector) = start().await?;
    let rule = FaultRule::new("500".parse()?).operation("push_income").times(2);
    sandbox.add_fault(rule)?;
    connector.verify_apikey().await?;
    let mut statuses = Vec::new();
    for _ in 0..3 {
        let outcome = connector.push_income(DEMO_BUSINESS, IncomeRecord::new()).await;
        statuses.push(
            outcome.map_or_else(|error| error.status(), |reply| Some(reply.status())).map(|status| status.as_u16()),
        );
    }
    assert_eq!(statuses, [Some(500), Some(500), Some(200)]);
    Ok(())
}

#[tokio::test]
async fn an_invalid_request_is_refused_even_with_a_fault() -> TestResult {
    let (_sandbox, connector) = start().await?;
    let call = connector.push_income("nobody", IncomeRecord::new().notes("sandbox:reset-after"));
    assert!(call.await.is_err_and(|error| error.is_refused()));
    Ok(())
}

#[tokio::test]
async fn callbacks_arrive_twice_late_reordered_or_in_two_parts() -> TestResult {
    let (sandbox, connector) = start().await?;
    let (sender, mut callbacks) = mpsc::unbounded_channel();
    let router = axum::Router::new().route(
        "/{name}",
        axum::routing::post(|axum::extract::Path(name): axum::extract::Path<String>, body: Bytes| async move {
            let body: Value = serde_json::from_slice(&body).unwrap_or(Value::Null);
            let _ = sender.send((name, body["response"]["hardrefreshing"] == true));
        }),
    );
    let url = serve(router).await?;
    let push = |name: &'static str, fault: &str| {
        let record = IncomeRecord::new().notes(format!("sandbox:{fault}"));
        connector.push_income(DEMO_BUSINESS, record).webhook(format!("{url}/{name}"))
    };
    let mut next = async || callbacks.recv().await.ok_or("no callback");
    push("twice", "callback-duplicate").await?;
    assert_eq!([next().await?.0, next().await?.0], ["twice", "twice"]);
    push("late", "callback-late=50000").await?;
    push("soon", "latency=0").await?;
    assert_eq!([next().await?.0, next().await?.0], ["soon", "late"]);
    push("overtaken", "callback-reordered").await?;
    push("overtaking", "latency=0").await?;
    assert_eq!([next().await?.0, next().await?.0], ["overtaking", "overtaken"]);
    push("parts", "callback-interim").await?;
    assert_eq!([next().await?, next().await?], [("parts".to_owned(), true), ("parts".to_owned(), false)]);
    assert_eq!(sandbox.callbacks()?.len(), 8);
    Ok(())
}

#[tokio::test]
async fn the_final_callback_waits_for_its_own_interim_one() -> TestResult {
    let sandbox = Sandbox::start().await?;
    let connector = Connector::builder().base_url(sandbox.base_url()).credentials(DEMO_APIKEY, DEMO_APPID).build()?;
    let (sender, mut callbacks) = mpsc::unbounded_channel();
    let router = axum::Router::new().route(
        "/{name}",
        axum::routing::post(|axum::extract::Path(name): axum::extract::Path<String>| async move {
            let _ = sender.send(name.clone());
            if name == "parts" { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::OK }
        }),
    );
    let url = serve(router).await?;
    let in_parts = IncomeRecord::new().notes("sandbox:callback-interim");
    connector.push_income(DEMO_BUSINESS, in_parts).webhook(format!("{url}/parts")).await?;
    assert_eq!(callbacks.recv().await.as_deref(), Some("parts"));
    for _ in 0..2 {
        connector.push_income(DEMO_BUSINESS, IncomeRecord::new()).webhook(format!("{url}/other")).await?;
        assert_eq!(callbacks.recv().await.as_deref(), Some("other"));
    }
    let states = sandbox.callbacks()?;
    assert_eq!((states[1].state, states[1].attempts.len()), (CallbackState::Waiting, 0), "{states:?}");
    Ok(())
}

#[tokio::test]
async fn a_callback_in_progress_before_overtakes_nothing() -> TestResult {
    let (sandbox, connector) = start().await?;
    let (sender, mut callbacks) = mpsc::unbounded_channel();
    let (go, wait) = (std::sync::Arc::new(tokio::sync::Notify::new()), std::sync::Arc::new(tokio::sync::Notify::new()));
    let (gone, waited) = (go.clone(), wait.clone());
    let router = axum::Router::new().route(
        "/{name}",
        axum::routing::post(|axum::extract::Path(name): axum::extract::Path<String>| async move {
            if name == "slow" {
                gone.notify_one();
                waited.notified().await;
            }
            let _ = sender.send(name);
        }),
    );
    let url = serve(router).await?;
    let push = |name: &str, notes: &str| {
        connector.push_income(DEMO_BUSINESS, IncomeRecord::new().notes(notes)).webhook(format!("{url}/{name}"))
    };
    push("slow", "").await?;
    go.notified().await;
    push("overtaken", "sandbox:callback-reordered").await?;
    wait.notify_one();
    assert_eq!(callbacks.recv().await.as_deref(), Some("slow"));
    push("overtaking", "").await?;
    assert_eq!(callbacks.recv().await.as_deref(), Some("overtaking"));
    assert_eq!(callbacks.recv().await.as_deref(), Some("overtaken"));
    drop(sandbox);
    Ok(())
}

#[tokio::test]
async fn the_final_callback_follows_its_interim_one_however_often_that_is_refused() -> TestResult {
    let sandbox = Sandbox::builder().clock("1000000x".parse()?).start().await?;
    let connector = Connector::builder().base_url(sandbox.base_url()).credentials(DEMO_APIKEY, DEMO_APPID).build()?;
    let (sender, mut callbacks) = mpsc::unbounded_channel();
    let refusals = std::sync::Arc::new(std::sync::atomic::AtomicU32::new(3));
    let router = axum::Router::new().route(
        "/",
        axum::routing::post(|body: Bytes| async move {
            let body: Value = serde_json::from_slice(&body).unwrap_or(Value::Null);
            let _ = sender.send(body["response"]["hardrefreshing"] == true);
            let left = refusals.load(std::sync::atomic::Ordering::Relaxed);
            refusals.store(left.saturating_sub(1), std::sync::atomic::Ordering::Relaxed);
            if left > 0 { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::OK }
        }),
    );
    let url = format!("{}/", serve(router).await?);
    connector.push_income(DEMO_BUSINESS, IncomeRecord::new().notes("sandbox:callback-interim")).webhook(url).await?;
    let mut received = Vec::new();
    for _ in 0..5 {
        received.push(callbacks.recv().await.ok_or("no callback")?);
    }
    assert_eq!(received, [true, true, true, true, false]);
    Ok(())
}

#[tokio::test]
async fn an_unknown_fault_is_reported_and_a_rule_that_can_never_match_is_refused() -> TestResult {
    let (sandbox, connector) = start().await?;
    connector.push_income(DEMO_BUSINESS, IncomeRecord::new().notes("(sandbox:latencyy=5)")).await?;
    let warnings = sandbox.requests().pop().ok_or("no request")?.warnings;
    assert!(warnings[0].starts_with("unknown fault `latencyy=5`"), "{warnings:?}");
    assert!(connector.push_income(DEMO_BUSINESS, IncomeRecord::new().notes("(sandbox:500).")).await.is_err());
    for (rule, expected) in [
        (FaultRule::new(Fault::Status(500)).operation("push_nothing"), "`push_nothing` is not an operation"),
        (FaultRule::new(Fault::Status(500)).times(0), "`times` is 0"),
        (FaultRule::new(Fault::Status(418)), "unknown fault `418`"),
    ] {
        let error = sandbox.add_fault(rule).err().ok_or(expected)?;
        assert!(error.to_string().contains(expected), "{error}");
    }
    Ok(())
}
