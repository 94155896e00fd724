//! A push that was accepted 200 is stored after the process was killed, and its callback is delivered.

mod support;

use std::{
    collections::BTreeSet,
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex, PoisonError},
};

use axum::{Router, body::Bytes, extract, http::Request, routing::post};
use business_data_connector::{
    Connector, RetryPolicy,
    types::{IncomeRecord, SettlementFile},
};
use business_data_connector_sandbox::{DEMO_APIKEY, DEMO_APPID, DEMO_BUSINESS, DEMO_HEADER_KEY, Replies, Sandbox};
use http_body_util::Full;
use support::{TestResult, send};
use tokio::{net::TcpListener, sync::Notify};

/// How often the process is killed.
const KILLS: usize = 20;

/// How many callers push at the same time, and after how many accepted pushes the process is killed.
const CALLERS: usize = 8;
const PUSHES: usize = 60;

/// Starts the program with a data file, and returns its address.
fn start(file: &Path) -> TestResult<(Child, String)> {
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

    /// Waits until enough was seen; another id always arrives.
    async fn until(&self, enough: impl Fn(&BTreeSet<String>) -> bool) {
        while !enough(&self.lock()) {
            self.changed.notified().await;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_accepted_push_is_lost_or_duplicated_and_every_callback_arrives_however_often_the_process_is_killed()
-> TestResult {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("sandbox.db");
    let called = Arc::<Seen>::default();
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let hooks = format!("http://{}", listener.local_addr()?);
    let seen = called.clone();
    let receive = move |extract::Path(id): extract::Path<String>| async move { seen.add(id) };
    tokio::spawn(async { axum::serve(listener, Router::new().route("/{id}", post(receive))).await });

    let accepted = Arc::<Seen>::default();
    for kill in 0..KILLS {
        let (mut child, url) = start(&file)?;
        let connector =
            Connector::builder().base_url(url).credentials(DEMO_APIKEY, DEMO_APPID).retry_policy(RetryPolicy::never());
        let connector = connector.timeout(std::time::Duration::from_secs(5)).build()?;
        let callers: Vec<_> = (0..CALLERS)
            .map(|caller| {
                let (connector, accepted, hooks) = (connector.clone(), accepted.clone(), hooks.clone());
                tokio::spawn(async move {
                    for number in 0.. {
                        let id = format!("{kill}-{caller}-{number}");
                        let push = connector
                            .push_income(DEMO_BUSINESS, IncomeRecord::new().notes(&id))
                            .webhook(format!("{hooks}/{id}"));
                        if push.await.is_err() {
                            return;
                        }
                        accepted.add(id);
                    }
                })
            })
            .collect();
        let before = accepted.lock().len();
        accepted.until(|ids| ids.len() >= before + PUSHES).await;
        child.kill()?;
        child.wait()?;
        for caller in callers {
            caller.await?;
        }
    }

    let sandbox = Sandbox::builder().data(&file).clock("10000x".parse()?).start().await?;
    let stored: Vec<_> =
        sandbox.records(DEMO_BUSINESS)?.iter().filter_map(|record| record.json::<IncomeRecord>().ok()?.notes).collect();
    let once: BTreeSet<_> = stored.iter().cloned().collect();
    let accepted = accepted.lock().clone();
    assert!(accepted.len() >= KILLS * PUSHES);
    assert_eq!(stored.len(), once.len(), "a record is stored twice");
    assert_eq!(accepted.difference(&once).collect::<Vec<_>>(), Vec::<&String>::new(), "accepted, but not stored");
    called.until(|ids| accepted.is_subset(ids)).await;
    Ok(())
}

#[tokio::test]
async fn a_file_that_is_in_use_is_refused_with_its_name_and_what_to_do() -> TestResult {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("sandbox.db");
    let _first = Sandbox::builder().data(&file).start().await?;
    let error = Sandbox::builder().data(&file).start().await.err().ok_or("both opened it")?;
    assert!(error.to_string().contains("sandbox.db: database is locked; close the program that uses it"), "{error}");
    Ok(())
}

#[tokio::test]
async fn an_upload_is_found_by_the_next_process_at_another_address() -> TestResult {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("sandbox.db");
    let first = Sandbox::builder().data(&file).replies(Replies::Observed).start().await?;
    let builder = Connector::builder().base_url(first.base_url()).credentials(DEMO_APIKEY, DEMO_APPID);
    let reply = builder.header_key(DEMO_HEADER_KEY).build()?.pull_storage_upload_url(DEMO_BUSINESS).await?;
    let reply: serde_json::Value = reply.json()?;
    let url = reply["url"].as_str().ok_or("no url")?;
    let put = Request::put(url).header("content-type", "application/json");
    let put = put.body(Full::<Bytes>::from(r#"[{"settlement":{"id":"S","amount":1.10}}]"#))?;
    assert!(send(put).await?.0.is_success());
    first.stop().await?;

    let second = Sandbox::builder().data(&file).start().await?;
    assert!(!url.starts_with(second.base_url()));
    let builder = Connector::builder().base_url(second.base_url()).credentials(DEMO_APIKEY, DEMO_APPID);
    let connector = builder.header_key(DEMO_HEADER_KEY).build()?;
    connector.push_settlement_file(DEMO_BUSINESS, SettlementFile::new().url(url)).await?;
    assert_eq!(second.records(DEMO_BUSINESS)?[0].as_str(), r#"{"settlement":{"id":"S","amount":1.10}}"#);
    Ok(())
}
