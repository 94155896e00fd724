//! Calls that are awaited to their callback, against the sandbox and its faults.
#![cfg(feature = "inbox")]
#![allow(clippy::unwrap_used, reason = "the helpers of a test may fail it, as the test may")]

mod support;

use std::time::Duration;

use business_data_connector::{
    AsynchronousVisitor, Connector, OPERATIONS, Request, RetryPolicy, Stored,
    inbox::{AwaitError, Inbox, MemoryStore, Order},
    types::{BusinessData, IncomeRecord, ManyRecords, PullIncomeRequest},
    visit_asynchronous_requests,
};
use business_data_connector_sandbox::{
    DEMO_APIKEY, DEMO_APPID, DEMO_BUSINESS, DEMO_HEADER_KEY, Fault, FaultRule, Sandbox,
};
use support::TestResult;

/// Longer than anything here takes, also on a busy machine.
const LONG: Duration = Duration::from_secs(60);

async fn parts() -> (Sandbox, Connector, Inbox) {
    let sandbox = Sandbox::builder().clock("10000x".parse().unwrap()).start().await.unwrap();
    let inbox = Inbox::bind("127.0.0.1:0", None).await.unwrap();
    let connector = connector(&sandbox, DEMO_APIKEY);
    (sandbox, connector, inbox)
}

fn connector(sandbox: &Sandbox, apikey: &str) -> Connector {
    let builder = Connector::builder()
        .base_url(sandbox.base_url())
        .header_key(DEMO_HEADER_KEY)
        .retry_policy(RetryPolicy::never());
    builder.credentials(apikey, DEMO_APPID).build().unwrap()
}

fn income(amount: &str) -> IncomeRecord {
    IncomeRecord::new().id("INV-1").amount(amount.parse::<business_data_connector::Decimal>().unwrap())
}

#[tokio::test]
async fn an_awaited_call_gives_what_was_asked_for_in_the_type_of_the_document() -> TestResult {
    let (_sandbox, connector, inbox) = parts().await;
    let pushed = connector.awaiting(&inbox).push_income(DEMO_BUSINESS, income("100.10")).await?;
    assert_eq!((pushed.message(), pushed.reply().map(|reply| reply.status().as_u16())), (Some("done"), Some(200)));
    let pulled = connector.awaiting(&inbox).pull_income(DEMO_BUSINESS).await?;
    assert_eq!(pulled.records::<IncomeRecord>()?, [income("100.10")]);
    assert_eq!(pulled.response()?.income, Some(vec![income("100.10")]));
    let business = BusinessData::new().businessname("B").firstname("F").lastname("L").email("b@example.com");
    let created = connector.awaiting(&inbox).push_business(business).await?;
    let uid = created.response()?.uid.ok_or("no uid")?;
    connector.push_income(&uid, income("1")).awaiting(&inbox).callback_timeout(LONG).await?;
    Ok(())
}

#[tokio::test]
async fn every_operation_with_callbacks_can_be_awaited() -> TestResult {
    struct Visitor(Vec<&'static str>);
    impl AsynchronousVisitor for Visitor {
        fn visit<R: business_data_connector::Asynchronous>(&mut self) {
            self.0.push(R::OPERATION.id);
        }
    }
    let mut visitor = Visitor(Vec::new());
    visit_asynchronous_requests(&mut visitor);
    let with_callback =
        OPERATIONS.iter().filter(|operation| operation.callback.is_some()).map(|operation| operation.id);
    assert_eq!(visitor.0, with_callback.collect::<Vec<_>>());
    Ok(())
}

#[tokio::test]
async fn a_duplicate_is_counted_and_given_once() -> TestResult {
    let (sandbox, connector, inbox) = parts().await;
    sandbox.add_fault(FaultRule::new(Fault::CallbackDuplicate))?;
    connector.awaiting(&inbox).push_income(DEMO_BUSINESS, income("1")).await?;
    let mut stream = connector.push_income(DEMO_BUSINESS, income("2")).awaiting(&inbox).stream();
    assert_eq!(stream.next().await.ok_or("no callback")??.order(), Order::Final);
    assert!(stream.next().await.is_none());
    while inbox.counts().duplicates < 2 {
        tokio::task::yield_now().await;
    }
    assert_eq!(inbox.counts().new, 2);
    Ok(())
}

#[tokio::test]
async fn an_interim_callback_precedes_the_final_one() -> TestResult {
    let (sandbox, connector, inbox) = parts().await;
    sandbox.add_fault(FaultRule::new(Fault::CallbackInterim))?;
    let done = connector.awaiting(&inbox).pull_bank_feed(DEMO_BUSINESS).await?;
    assert_eq!((done.interim().len(), done.is_interim()), (1, false));
    assert!(done.interim()[0].is_interim());
    let mut stream = connector.awaiting(&inbox).pull_bank_feed(DEMO_BUSINESS).stream();
    let mut orders = Vec::new();
    while let Some(received) = stream.next().await {
        orders.push(received?.order());
    }
    assert_eq!(orders, [Order::Interim, Order::Final]);
    Ok(())
}

#[tokio::test]
async fn reordered_and_late_callbacks_find_their_calls() -> TestResult {
    let (sandbox, connector, inbox) = parts().await;
    sandbox.add_fault(FaultRule::new(Fault::CallbackReordered).times(1))?;
    let awaiting = connector.awaiting(&inbox);
    let first = awaiting.push_income(DEMO_BUSINESS, income("1"));
    let second = awaiting.pull_income(DEMO_BUSINESS);
    let (first, second) = tokio::join!(first.into_future(), second.into_future());
    assert_eq!((first?.operation_id(), second?.operation_id()), ("push_income", "pull_income"));
    sandbox.add_fault(FaultRule::new(Fault::CallbackLate(600_000)).times(1))?;
    assert_eq!(awaiting.push_income(DEMO_BUSINESS, income("2")).await?.message(), Some("done"));
    let mut stream = connector.awaiting(&inbox).push_income(DEMO_BUSINESS, income("3")).stream();
    assert_eq!(stream.next().await.ok_or("no callback")??.order(), Order::Final);
    Ok(())
}

#[tokio::test]
async fn a_callback_that_never_comes_is_reported_as_that_and_found_when_it_comes_after_all() -> TestResult {
    let (_, _, inbox) = parts().await;
    let sandbox = Sandbox::start().await?;
    sandbox.add_fault(FaultRule::new(Fault::CallbackLate(1_000)))?;
    let connector = connector(&sandbox, DEMO_APIKEY);
    let call = || connector.push_income(DEMO_BUSINESS, income("1")).awaiting(&inbox).callback_timeout(Duration::ZERO);
    let error = call().await.unwrap_err();
    assert!(error.is_no_callback() && error.may_have_been_sent(), "{error}");
    assert_eq!(error.to_string(), "push_income was accepted, but no callback arrived within 0ns; it may still come");
    assert!(matches!(&error, AwaitError::NoCallback { reply: Some(reply), call: None, .. } if reply.status() == 200));
    assert!(call().stream().next().await.is_some_and(|first| first.is_err_and(|error| error.is_no_callback())));
    let mut callbacks = inbox.callbacks();
    for _ in 0..2 {
        let received = callbacks.next().await?;
        assert_eq!((received.order(), received.message()), (Order::Final, Some("done")));
        received.done().await?;
    }
    Ok(())
}

#[tokio::test]
async fn a_refused_call_and_one_that_was_never_sent_are_not_waited_for() -> TestResult {
    let (sandbox, connector, inbox) = parts().await;
    let error = connector.awaiting(&inbox).push_income("nobody", income("1")).callback_timeout(LONG).await.unwrap_err();
    assert!(error.call().is_some_and(|error| error.is_refused()), "{error}");
    assert!(error.may_have_been_sent());
    let wrong = self::connector(&sandbox, "wrong");
    let error = wrong.awaiting(&inbox).pull_income(DEMO_BUSINESS).callback_timeout(LONG).await.unwrap_err();
    assert!(error.call().is_some_and(|error| error.is_unauthorized()), "{error}");
    sandbox.stop().await?;
    let error = connector.awaiting(&inbox).pull_income(DEMO_BUSINESS).callback_timeout(LONG).await.unwrap_err();
    assert!(error.call().is_some_and(|error| error.is_never_sent()) && !error.may_have_been_sent(), "{error}");
    Ok(())
}

#[tokio::test]
async fn the_callback_settles_a_call_whose_outcome_was_unknown() -> TestResult {
    let (sandbox, connector, inbox) = parts().await;
    sandbox.add_fault(FaultRule::new(Fault::ResetAfter).times(1))?;
    let done = connector.awaiting(&inbox).push_income(DEMO_BUSINESS, income("1")).await?;
    assert!(done.reply().is_none() && !done.is_failure());
    sandbox.add_fault(FaultRule::new(Fault::Status(504)).times(1))?;
    let call = connector.awaiting(&inbox).push_income(DEMO_BUSINESS, income("2")).callback_timeout(Duration::ZERO);
    let error = call.await.unwrap_err();
    assert!(matches!(&error, AwaitError::NoCallback { reply: None, call: Some(_), .. }), "{error}");
    assert!(error.to_string().starts_with("no callback arrived within 0ns either after: "), "{error}");
    Ok(())
}

#[tokio::test]
async fn a_callback_that_arrives_before_the_reply_is_not_lost() -> TestResult {
    let (sandbox, connector, inbox) = parts().await;
    // The sandbox executes the request, and delivers its callback, while the reply is held back.
    sandbox.add_fault(FaultRule::new(Fault::Latency(500)).times(1))?;
    let call = tokio::spawn(connector.awaiting(&inbox).push_income(DEMO_BUSINESS, income("1")).into_future());
    while inbox.counts().new == 0 {
        tokio::task::yield_now().await;
    }
    assert!(!call.is_finished());
    assert!(call.await??.reply().is_some());
    Ok(())
}

#[tokio::test]
async fn a_failure_is_an_error_with_the_words_of_the_service() -> TestResult {
    let (inbox, service) = (Inbox::bind("127.0.0.1:0", None).await?, failing_service().await?);
    let connector = Connector::builder().base_url(&service).credentials("a", "b").build()?;
    let error = connector.awaiting(&inbox).push_many(DEMO_BUSINESS, ManyRecords::new()).await.unwrap_err();
    assert!(matches!(error, AwaitError::Failed(_)), "{error}");
    assert_eq!(error.message().as_deref(), Some("no such account"));
    let mut stream = connector.awaiting(&inbox).push_many(DEMO_BUSINESS, ManyRecords::new()).stream();
    assert!(stream.next().await.is_some_and(|first| first.is_err()));
    assert!(stream.next().await.is_none(), "an error ends the stream");
    Ok(())
}

/// A service that delivers a failure before it replies.
async fn failing_service() -> std::io::Result<String> {
    let receive = |body: axum::body::Bytes| async move {
        let request: serde_json::Value = serde_json::from_slice(&body).unwrap_or_default();
        let callback = r#"{"status":"error","response":{"error":true,"message":"no such account"}}"#;
        let webhook = request["webhook"].as_str().unwrap_or_default();
        assert_eq!(support::Sender::new().post(webhook, callback).await, 200);
    };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}", listener.local_addr()?);
    tokio::spawn(async move { axum::serve(listener, axum::Router::new().fallback(receive)).await });
    Ok(url)
}

#[tokio::test]
async fn a_request_that_was_made_elsewhere_is_awaited_by_its_address() -> TestResult {
    let (_sandbox, connector, inbox) = parts().await;
    let mut request = PullIncomeRequest::new(DEMO_BUSINESS, "");
    let address = inbox.endpoint().attach(&mut request)?;
    connector.send_stored(&Stored::new(&request)?).await?;
    let received = inbox.wait_for(address.id(), LONG).await?;
    assert_eq!(received.operation(), Some(PullIncomeRequest::OPERATION));
    Ok(())
}

#[tokio::test]
async fn the_stream_of_all_callbacks_leaves_those_out_that_somebody_waits_for() -> TestResult {
    let (_sandbox, connector, _) = parts().await;
    let inbox = Inbox::builder("http://localhost", business_data_connector::callback::CallbackKey::random(1)?)
        .store(MemoryStore::new())
        .bind("127.0.0.1:0")
        .await?;
    let url = format!("http://{}", inbox.local_address().ok_or("not bound")?);
    let mut callbacks = inbox.callbacks();
    // The addresses of this inbox do not lead to it, so they are moved.
    let elsewhere = inbox.address_for(PullIncomeRequest::OPERATION, Some(DEMO_BUSINESS))?;
    let awaited = inbox.address_for(PullIncomeRequest::OPERATION, Some(DEMO_BUSINESS))?;
    let waiting = tokio::spawn({
        let (inbox, id) = (inbox.clone(), awaited.id());
        async move { inbox.wait_for(id, LONG).await }
    });
    tokio::task::yield_now().await;
    for address in [&awaited, &elsewhere] {
        connector.pull_income(DEMO_BUSINESS, format!("{url}{}", address.path())).await?;
    }
    assert_eq!(callbacks.next().await?.id(), elsewhere.id());
    assert_eq!(waiting.await??.id(), awaited.id());
    Ok(())
}
