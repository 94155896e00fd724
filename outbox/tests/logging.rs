//! What the service says is in the outbox, and not in the log.

#[path = "../../tests/support/log.rs"]
mod log;
mod support;

use axum::{Router, http::StatusCode};
use business_data_connector::{Connector, types::IncomeRecord};
use log::Log;
use support::{TestResult, UID, inbox, outbox};
use tracing_subscriber::filter::LevelFilter;

#[tokio::test]
async fn the_words_of_the_service_are_in_the_outbox_and_not_in_the_log() -> TestResult {
    let (log, _guard) = Log::collect(LevelFilter::TRACE);

    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let url = format!("http://{}", listener.local_addr()?);
    let refuse = || async {
        let json = [("content-type", "application/json")];
        (StatusCode::UNAUTHORIZED, json, r#"{"error":true,"message":"c4n4ry of the service"}"#)
    };
    tokio::spawn(async move { axum::serve(listener, Router::new().fallback(refuse)).await });

    let folder = tempfile::tempdir()?;
    let outbox = outbox(folder.path()).await;
    outbox.enqueue_all(UID, [IncomeRecord::new().id("INV-1").notes("c4n4ry of the record")]).await?;
    let connector = Connector::builder().base_url(url).credentials("c4n4ry-key", "c4n4ry-id").build()?;
    let worker = outbox.worker(connector, inbox(folder.path()).await).run().await?;
    let pause = loop {
        if let Some(pause) = outbox.pauses().await?.pop() {
            break pause;
        }
        tokio::task::yield_now().await;
    };
    worker.stop().await;
    assert!(pause.reason.contains("c4n4ry of the service"), "{}", pause.reason);
    let logged = log.text();
    assert!(logged.contains("everything is paused until `resume` is called"), "{logged}");
    let own: Vec<_> = logged.lines().filter(|line| line.contains("business_data_connector")).collect();
    assert!(!own.iter().any(|line| line.contains("c4n4ry")), "{own:#?}");
    Ok(())
}
