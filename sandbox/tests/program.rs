//! The program `bdc-sandbox`.

mod support;

use std::{
    fs::File,
    io::{BufRead, BufReader},
    net::TcpListener,
    path::Path,
    process::{Child, Command, Stdio},
};

use axum::{Router, routing::post};
use business_data_connector::{
    Connector,
    types::{BusinessData, IncomeRecord},
};
use business_data_connector_sandbox::{DEMO_APIKEY, DEMO_APPID, DEMO_BUSINESS};
use serde_json::Value;
use support::{TestResult, serve};
use tokio::sync::mpsc;

fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bdc-sandbox"));
    for variable in ["BDC_APIKEY", "BDC_APPID", "BDC_HEADER_KEY", "RUST_LOG"] {
        command.env_remove(variable);
    }
    command
}

#[tokio::test]
async fn the_address_is_printed_on_stdout_once_requests_are_accepted() -> TestResult {
    let folder = tempfile::tempdir()?;
    let (mut child, url) = started(program(), &folder.path().join("log"))?;
    let connector = Connector::builder().base_url(url).credentials(DEMO_APIKEY, DEMO_APPID).build()?;
    let reply = connector.verify_apikey().await;
    child.kill()?;
    child.wait()?;
    reply?;
    Ok(())
}

#[test]
fn an_address_in_use_is_reported_with_what_to_do() -> TestResult {
    let used = TcpListener::bind("127.0.0.1:0")?;
    let address = used.local_addr()?.to_string();
    let output = program().args(["--listen", &address]).output()?;
    let stderr = String::from_utf8(output.stderr)?;
    assert!(!output.status.success());
    assert!(stderr.starts_with(&format!("bdc-sandbox: cannot listen on {address}: ")), "{stderr}");
    Ok(())
}

/// Starts the program on a free port, with its log in a file, and returns its address.
fn started(mut command: Command, log: &Path) -> TestResult<(Child, String)> {
    let command = command.args(["--listen", "127.0.0.1:0"]).stdout(Stdio::piped()).stderr(File::create(log)?);
    let mut child = command.spawn()?;
    let mut line = String::new();
    BufReader::new(child.stdout.take().ok_or("no stdout")?).read_line(&mut line)?;
    let url = line.strip_prefix("listening on ").and_then(|line| line.split(' ').next());
    Ok((child, url.ok_or_else(|| format!("no address: {line}"))?.to_owned()))
}

/// The signal that service managers send.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sigterm_finishes_accepted_requests() -> TestResult {
    let folder = tempfile::tempdir()?;
    let (mut child, url) = started(program(), &folder.path().join("log"))?;
    let (sender, mut callbacks) = mpsc::unbounded_channel();
    let webhook = serve(Router::new().route("/", post(async move || _ = sender.send(())))).await?;
    let connector = Connector::builder().base_url(url).credentials(DEMO_APIKEY, DEMO_APPID).build()?;
    for _ in 0..50 {
        connector.push_income(DEMO_BUSINESS, IncomeRecord::new()).webhook(&webhook).await?;
    }
    let killed = Command::new("kill").args(["-TERM", &child.id().to_string()]).status()?;
    assert!(killed.success());
    assert!(child.wait()?.success());
    let mut received = 0;
    while callbacks.try_recv().is_ok() {
        received += 1;
    }
    assert_eq!(received, 50);
    Ok(())
}

#[tokio::test]
async fn each_option_has_its_effect_and_nothing_secret_is_logged() -> TestResult {
    let folder = tempfile::tempdir()?;
    let (log, pairs) = (folder.path().join("log"), folder.path().join("pairs"));
    std::fs::write(&pairs, "c4n4ry-file-key c4n4ry-file-app\n")?;
    let mut command = program();
    command.args(["--strict", "--replies", "observed", "--body-limit", "2000", "--read-time", "5s", "--clock", "10x"]);
    command.args(["--header-key", "c4n4ry-header", "--connections", "9", "--credentials"]).arg(&pairs);
    // These come from the environment, as the header key could.
    command.env("BDC_APIKEY", "c4n4ry-key").env("BDC_APPID", "c4n4ry-app").env("RUST_LOG", "trace");
    let (mut child, url) = started(command, &log)?;
    let with = |apikey: &str, appid: &str, header: &str| {
        Connector::builder().base_url(&url).credentials(apikey, appid).header_key(header).build()
    };
    let connector = with("c4n4ry-key", "c4n4ry-app", "c4n4ry-header")?;
    with("c4n4ry-file-key", "c4n4ry-file-app", "c4n4ry-header")?.verify_apikey().await?;
    assert!(with(DEMO_APIKEY, DEMO_APPID, "c4n4ry-header")?.verify_apikey().await.is_err_and(|e| e.is_unauthorized()));
    let business = BusinessData::new().businessname("B").firstname("F").lastname("L").email("a@b.example");
    let other = with("c4n4ry-key", "c4n4ry-app", "c4n4ry-other")?.push_business(business.clone()).await;
    assert!(other.is_err_and(|error| error.is_unauthorized()));
    let created = connector.push_business(business).webhook("http://c4n4ry:c4n4ry@127.0.0.1:1/p?c4n4ry").await?;
    let created: Value = created.json()?;
    // With --strict and --replies observed, the reply says what is missing.
    let refused = connector.push_business(BusinessData::new()).await.err().ok_or("it was accepted")?;
    assert!(refused.message().is_some_and(|message| message.starts_with("/data/businessname: ")), "{refused:?}");
    let long = connector.push_income(DEMO_BUSINESS, IncomeRecord::new().notes("x".repeat(3000))).await;
    assert!(long.is_err_and(|error| error.is_refused()));
    let upload: Value = connector.pull_storage_upload_url(DEMO_BUSINESS).signature("c4n4ry").await?.json()?;
    child.kill()?;
    child.wait()?;
    let logged = std::fs::read_to_string(&log)?;
    // The log has the number of each request, which its reply has as well.
    let number = refused.reply().ok_or("no reply")?.headers()["x-sandbox-request"].to_str()?;
    let line = format!("request={number} operation=\"push_business\" status=400 reason=\"/data/businessname: ");
    assert!(logged.contains(&line), "{line}: {logged}");
    let token = upload["url"].as_str().and_then(|url| url.split_once("token=")).ok_or("no token")?.1;
    for secret in ["c4n4ry", created["token"].as_str().ok_or("no token")?, token] {
        assert!(!logged.contains(secret), "{secret}: {logged}");
    }
    Ok(())
}

/// Starts the program with a log that is read by nobody, or whose reader has gone.
fn started_with_pipe(level: &str) -> TestResult<(Child, String, std::process::ChildStderr)> {
    let mut command = program();
    let command = command.args(["--listen", "127.0.0.1:0"]).env("RUST_LOG", level);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let mut line = String::new();
    BufReader::new(child.stdout.take().ok_or("no stdout")?).read_line(&mut line)?;
    let url = line.strip_prefix("listening on ").and_then(|line| line.split(' ').next()).ok_or("no address")?;
    let log = child.stderr.take().ok_or("no stderr")?;
    Ok((child, url.to_owned(), log))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_log_whose_reader_has_gone_changes_no_reply() -> TestResult {
    let (mut child, url, log) = started_with_pipe("info")?;
    drop(log);
    let (sender, mut callbacks) = mpsc::unbounded_channel();
    let webhook = serve(Router::new().route("/", post(async move || _ = sender.send(())))).await?;
    let connector = Connector::builder().base_url(url).credentials(DEMO_APIKEY, DEMO_APPID).build()?;
    let mut pushed = Ok(());
    for _ in 0..20 {
        let reply = connector.push_income(DEMO_BUSINESS, IncomeRecord::new()).webhook(&webhook).await;
        pushed = pushed.and(reply.map(drop));
    }
    if pushed.is_ok() {
        for _ in 0..20 {
            callbacks.recv().await;
        }
    }
    child.kill()?;
    child.wait()?;
    pushed?;
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_log_that_nobody_reads_blocks_no_request() -> TestResult {
    // Each push logs far more than a pipe holds.
    let (mut child, url, log) = started_with_pipe("trace")?;
    let connector = Connector::builder().base_url(url).credentials(DEMO_APIKEY, DEMO_APPID).build()?;
    let mut pushed = Ok(());
    for _ in 0..1_000 {
        pushed = pushed.and(connector.push_income(DEMO_BUSINESS, IncomeRecord::new()).await.map(drop));
    }
    let killed = Command::new("kill").args(["-TERM", &child.id().to_string()]).status()?;
    let ended = child.wait()?;
    drop(log);
    pushed?;
    assert!(killed.success() && ended.success(), "it does not end: {ended}");
    Ok(())
}

#[tokio::test]
async fn a_variable_that_is_empty_is_not_set() -> TestResult {
    let folder = tempfile::tempdir()?;
    let mut command = program();
    command.env("BDC_APIKEY", "").env("BDC_APPID", "").env("BDC_HEADER_KEY", "");
    let (mut child, url) = started(command, &folder.path().join("log"))?;
    let with = |apikey: &str, appid: &str| Connector::builder().base_url(&url).credentials(apikey, appid).build();
    let demo = with(DEMO_APIKEY, DEMO_APPID)?.verify_apikey().await;
    let empty =
        support::raw("POST", &format!("{url}/api/verify/apikey"), "application/json", r#"{"apikey":"","appid":""}"#)
            .await?;
    child.kill()?;
    child.wait()?;
    demo?;
    assert_eq!(empty.0, axum::http::StatusCode::UNAUTHORIZED);
    let output = program().env("BDC_APIKEY", "key").env("BDC_APPID", "").output()?;
    let stderr = String::from_utf8(output.stderr)?;
    assert!(!output.status.success() && stderr.contains("--apikey needs --appid"), "{stderr}");
    Ok(())
}
