//! What was answered 200 is there after the process was killed, and its callback is delivered.

use std::{
    collections::BTreeSet,
    error::Error,
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex, PoisonError},
};

use axum::{Router, body::Bytes, extract, http::Request, routing::post};
use business_data_connector::{
    Connector,
    types::{IncomeRecord, SettlementFile},
};
use business_data_connector_sandbox::{DEMO_APIKEY, DEMO_APPID, DEMO_BUSINESS, DEMO_HEADER_KEY, Replies, Sandbox};
use http_body_util::Full;
use hyper_util::{client::legacy::Client, rt::TokioExecutor};
use tokio::{net::TcpListener, sync::Notify};

/// How often the process is killed.
const KILLS: usize = 20;

/// How many callers push at the same time, and after how many answers the process is killed.
const CALLERS: usize = 8;
const ANSWERS: usize = 60;

/// The program on this file, and its address.
fn start(file: &Path) -> Result<(Child, String), Box<dyn Error>> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_bdc-sandbox"))
        .args(["--listen", "127.0.0.1:0", "--clock", "10000x", "--data"])
        .arg(file)
        .env_remove("BDC_APIKEY")
        .env_remove("BDC_APPID")
        .env("RUST_LOG", "off")
        .stdout(Stdio::piped())
        .spawn()?;
    let mut line = String::new();
    BufReader::new(child.stdout.take().ok_or("no stdout")?).read_line(&mut line)?;
    let url = line.strip_prefix("listening on ").and_then(|line| line.split(' ').next()).ok_or("no address")?;
    Ok((child, url.to_owned()))
}

#[derive(Default)]
struct Seen {
    ids: Mutex<BTreeSet<String>>,
    changed: Notify,
}

impl Seen {
    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeSet<String>> {
        self.ids.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, id: String) {
        self.lock().insert(id);
        self.changed.notify_one();
    }

    /// Waits until enough is seen; something always comes.
    async fn until(&self, enough: impl Fn(&BTreeSet<String>) -> bool) {
        while !enough(&self.lock()) {
            self.changed.notified().await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_answered_push_is_lost_or_doubled_and_every_callback_arrives_however_often_the_process_is_killed()
-> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("sandbox.db");
    let called = Arc::<Seen>::default();
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let hooks = format!("http://{}", listener.local_addr()?);
    let seen = called.clone();
    let take = move |extract::Path(id): extract::Path<String>| async move { seen.add(id) };
    tokio::spawn(async { axum::serve(listener, Router::new().route("/{id}", post(take))).await });

    let answered = Arc::<Seen>::default();
    for kill in 0..KILLS {
        let (mut child, url) = start(&file)?;
        let connector = Connector::builder().base_url(url).credentials(DEMO_APIKEY, DEMO_APPID).attempts(1);
        let connector = connector.deadline(std::time::Duration::from_secs(5)).build()?;
        let callers: Vec<_> = (0..CALLERS)
            .map(|caller| {
                let (connector, answered, hooks) = (connector.clone(), answered.clone(), hooks.clone());
                tokio::spawn(async move {
                    for number in 0.. {
                        let id = format!("{kill}-{caller}-{number}");
                        let push = connector
                            .push_income(DEMO_BUSINESS, IncomeRecord::new().notes(&id))
                            .webhook(format!("{hooks}/{id}"));
                        if push.await.is_err() {
                            return;
                        }
                        answered.add(id);
                    }
                })
            })
            .collect();
        let before = answered.lock().len();
        answered.until(|ids| ids.len() >= before + ANSWERS).await;
        child.kill()?;
        child.wait()?;
        for caller in callers {
            caller.await?;
        }
    }

    let sandbox = Sandbox::builder().data(&file).clock("10000x".parse()?).start().await?;
    let held: Vec<_> =
        sandbox.records(DEMO_BUSINESS)?.iter().filter_map(|record| record.json::<IncomeRecord>().ok()?.notes).collect();
    let once: BTreeSet<_> = held.iter().cloned().collect();
    let answered = answered.lock().clone();
    assert!(answered.len() >= KILLS * ANSWERS);
    assert_eq!(held.len(), once.len(), "a record is there twice");
    assert_eq!(answered.difference(&once).collect::<Vec<_>>(), Vec::<&String>::new(), "answered and not held");
    called.until(|ids| answered.is_subset(ids)).await;
    Ok(())
}

#[tokio::test]
async fn a_file_that_another_process_has_is_refused_in_a_sentence() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("sandbox.db");
    let _first = Sandbox::builder().data(&file).start().await?;
    let error = Sandbox::builder().data(&file).start().await.err().ok_or("both have it")?;
    assert!(error.to_string().contains("the store failed: database is locked"), "{error}");
    Ok(())
}

#[tokio::test]
async fn a_settlement_file_that_was_answered_is_settled_by_the_next_process_wherever_it_listens()
-> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("sandbox.db");
    let first = Sandbox::builder().data(&file).replies(Replies::Observed).start().await?;
    let builder = Connector::builder().base_url(first.base_url()).credentials(DEMO_APIKEY, DEMO_APPID);
    let told = builder.header_key(DEMO_HEADER_KEY).build()?.pull_storage_upload_url(DEMO_BUSINESS).await?;
    let told: serde_json::Value = told.json()?;
    let url = told["url"].as_str().ok_or("no url")?;
    let put = Request::put(url).header("content-type", "application/json");
    let put = put.body(Full::<Bytes>::from(r#"[{"settlement":{"id":"S","amount":1.10}}]"#))?;
    assert!(Client::builder(TokioExecutor::new()).build_http().request(put).await?.status().is_success());
    first.stop().await?;

    let second = Sandbox::builder().data(&file).start().await?;
    assert!(!url.starts_with(second.base_url()));
    let builder = Connector::builder().base_url(second.base_url()).credentials(DEMO_APIKEY, DEMO_APPID);
    let connector = builder.header_key(DEMO_HEADER_KEY).build()?;
    connector.push_settlement_file(DEMO_BUSINESS, SettlementFile::new().url(url)).await?;
    assert_eq!(second.records(DEMO_BUSINESS)?[0].as_str(), r#"{"settlement":{"id":"S","amount":1.10}}"#);
    Ok(())
}
