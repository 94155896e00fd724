//! What to do when a call fails: `Error::retry` decides, a `RetryPolicy` acts on it, and a timeout limits the whole
//! call.
//!
//! Against a sandbox this example injects faults and shows what each of them leads to. Against any other service it
//! makes one call, which changes nothing.
//!
//! ```sh
//! cargo run --example errors_and_retries
//! cargo run --example errors_and_retries -- UID    # for a business other than `demo-business`
//! ```

mod common;

use std::{process::ExitCode, time::Duration};

use axum::{
    body::Bytes,
    http::{Request, StatusCode, header::CONTENT_TYPE},
};
use business_data_connector::{ConnectorBuilder, Decimal, Error, Reply, Retry, RetryPolicy, types::IncomeRecord};
use http_body_util::Full;
use hyper_util::{client::legacy::Client, rt::TokioExecutor};

/// Decides about a failed call. `retry()` covers every error, so there is no need to match its variants.
fn next_step(error: &Error) -> String {
    match error.retry() {
        Retry::Now => "send it again".to_owned(),
        Retry::After(delay) => format!("send it again in {delay:?}"),
        Retry::CheckFirst => "it may have been recorded: check before you send it again".to_owned(),
        // `Retry::Never`, and what a later version may add.
        _ => format!("correct it first; the service says: {}", error.message().as_deref().unwrap_or("nothing")),
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    common::exit_code(run().await)
}

async fn run() -> Result<(), Box<dyn std::error::Error>> {
    let uid = std::env::args().nth(1).unwrap_or_else(|| "demo-business".to_owned());
    let connector = ConnectorBuilder::from_env()?
        // For the whole call: connecting, every attempt, and reading the reply. The default is 60 seconds.
        .timeout(Duration::from_secs(20))
        .build()?;

    // A read is retried by default after any transport failure, since sending it twice is harmless.
    if let Err(error) = connector.verify_apikey().await {
        println!("{}", next_step(&error));
        return Err(error.into());
    }
    println!("The credentials are valid.");

    println!("\nThe service limits the rate. By default that is an error:");
    if !inject("push_income", "429=1").await? {
        println!("  (skipped with all that follows: faults can be injected only into a sandbox)");
        return Ok(());
    }
    let income = IncomeRecord::new().id("INV-2").currency("ZAR").amount(Decimal::try_from("19.99")?);
    let result = connector.push_income(&uid, income.clone()).await;
    show(result, Retry::After(Duration::from_secs(1)))?;

    println!("\nThe same, with a policy that waits and tries again:");
    inject("push_income", "429=1").await?;
    let patient = RetryPolicy::new().max_attempts(5).after_replies();
    let reply = connector.push_income(&uid, income.clone()).retry_policy(patient).await?;
    println!("  {}", reply.status());

    println!("\nThe connection breaks after the service has stored the record, so that its outcome is unknown:");
    inject("push_income", "reset-after").await?;
    let result = connector.push_income(&uid, income.clone()).await;
    show(result, Retry::CheckFirst)?;

    // The interface does not promise it, but in the sandbox a second push with the same `id` replaces the first.
    println!("\nThe same, for a request that is declared idempotent and so may be sent twice:");
    inject("push_income", "reset-after").await?;
    let reply = connector.push_income(&uid, income.clone()).idempotent().await?;
    println!("  {}", reply.status());

    println!("\nThe service takes longer than the timeout of the call:");
    inject("push_income", "latency=3000").await?;
    let result = connector.push_income(&uid, income.clone()).timeout(Duration::from_secs(1)).await;
    show(result, Retry::CheckFirst)?;

    println!("\nThe service refuses the request:");
    let result = connector.push_income("no-such-business", income).await;
    show(result, Retry::Never)
}

/// Prints a failed call and what to do about it. A success, or another decision, means that the fault had no effect.
fn show(result: Result<Reply, Error>, expected: Retry) -> Result<(), Box<dyn std::error::Error>> {
    let error = result.err().ok_or("the call succeeded in spite of the fault")?;
    println!("  {error}\n  -> {}", next_step(&error));
    match error.retry() {
        decision if decision == expected => Ok(()),
        decision => Err(format!("{expected:?} was expected, not {decision:?}").into()),
    }
}

/// Injects a fault into the next call of an operation. Returns `false` if the service is not a sandbox.
async fn inject(operation: &str, fault: &str) -> Result<bool, Box<dyn std::error::Error>> {
    let base_url = std::env::var("BDC_BASE_URL")?;
    let url = format!("{}/_sandbox/faults", base_url.trim().trim_end_matches('/'));
    if !url.starts_with("http://") {
        return Ok(false);
    }
    let rule = serde_json::json!({ "operation": operation, "fault": fault, "times": 1 }).to_string();
    let request = Request::post(url).header(CONTENT_TYPE, "application/json").body(Full::<Bytes>::from(rule))?;
    let client = Client::builder(TokioExecutor::new()).build_http();
    Ok(client.request(request).await?.status() == StatusCode::CREATED)
}
