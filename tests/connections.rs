//! A connection is reused while the service can be expected to keep it open.

mod support;

use std::time::Duration;

use business_data_connector::Connector;
use support::{MockServer, TestResult, builder};

/// Calls twice, with the clock moved on in between, and returns whether both used the same connection.
async fn reused(
    connector: &Connector,
    service: &MockServer,
    idle: Duration,
) -> Result<bool, Box<dyn std::error::Error>> {
    connector.push_reset("u").await?;
    // Lets the task of the connection hand it back before the clock moves on.
    for _ in 0..10 {
        tokio::task::yield_now().await;
    }
    tokio::time::pause();
    tokio::time::advance(idle).await;
    tokio::time::resume();
    connector.push_reset("u").await?;
    let seen = service.seen();
    let [.., first, second] = seen.as_slice() else { return Err("not two requests".into()) };
    Ok(first.peer == second.peer)
}

#[tokio::test]
async fn an_idle_connection_is_reused_for_4_seconds() -> TestResult {
    let service = MockServer::accepting().await?;
    let connector = builder(&service.url).build()?;
    assert!(reused(&connector, &service, Duration::from_secs(3)).await?);
    assert!(!reused(&connector, &service, Duration::from_secs(5)).await?);
    Ok(())
}

#[tokio::test]
async fn how_long_idle_connections_are_kept_can_be_configured() -> TestResult {
    let service = MockServer::accepting().await?;
    let keep = |client: reqwest::ClientBuilder| client.pool_idle_timeout(Duration::from_secs(30));
    let connector = builder(&service.url).configure_client(keep).build()?;
    assert!(reused(&connector, &service, Duration::from_secs(20)).await?);
    let connector = builder(&service.url).configure_client(|client| client.pool_max_idle_per_host(0)).build()?;
    assert!(!reused(&connector, &service, Duration::ZERO).await?);
    Ok(())
}
