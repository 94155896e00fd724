//! A receiver of callbacks: every operation that takes a `webhook` is called twice, the second time with an interim
//! callback before the final one, and the receiver has to print each callback.
//!
//! Its last command is started with a port in `BDC_PORT`, and prints a line for each callback: the path, a word that
//! says how the request ended, and `response` as JSON.

use std::{
    collections::BTreeMap,
    fs,
    io::{BufRead, BufReader},
    net::TcpListener,
    path::Path,
    process::Child,
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};

use super::workdir::Workdir;
use crate::tools::sandbox::Sandbox;

/// How long the receiver may take for all callbacks.
const TIMEOUT: Duration = Duration::from_secs(60);

/// A number that a double does not hold. It is pushed, and so pulled.
const EXACT: &str = "12345678901234567.10";

/// An entry of `schemas/index.json`.
#[derive(Deserialize)]
struct Operation {
    path: String,
    vectors: String,
    callback: Option<String>,
}

/// A vector, whose body keeps every digit.
#[derive(Deserialize)]
struct Vector {
    why: String,
    body: BTreeMap<String, Box<RawValue>>,
}

/// A process that is stopped on drop.
struct Stopped(Child);

impl Drop for Stopped {
    fn drop(&mut self) {
        // Both fail if it has already exited.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

pub fn summary(commands: &[String], workdir: &Workdir) -> Result<String> {
    // Short waits: the first delivery may be earlier than the receiver.
    let sandbox = Sandbox::start(&["--replies", "observed", "--clock", "1000x"])?;
    let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port().to_string();
    let (last, first) = commands.split_last().context("there is no command")?;
    for command in first {
        workdir.run(command, &[])?;
    }
    let mut receiver = Stopped(workdir.start(last, ("BDC_PORT", &port))?);
    let output = receiver.0.stdout.take().context("the receiver has no output")?;
    let (sender, lines) = mpsc::channel();
    thread::spawn(move || BufReader::new(output).lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));

    let folder = Path::new(&workdir.openapi).join("schemas");
    let operations = operations(&folder)?;
    let mut expected = Vec::new();
    // In reverse, so that what is pulled was pushed before.
    for (id, operation) in operations.iter().rev() {
        for fault in [None, Some("callback-interim")] {
            let body = body(&folder, operation, &sandbox, &operations, &format!("http://127.0.0.1:{port}/{id}"))?;
            post(&sandbox, &operation.path, fault, &body)?;
            expected.extend(fault.map(|_| (id.as_str(), "interim")));
            expected.push((id.as_str(), "done"));
        }
    }
    let deadline = Instant::now() + TIMEOUT;
    let mut exact = false;
    let mut count = 0;
    while !expected.is_empty() {
        let Ok(line) = lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) else {
            bail!("these callbacks were not received: {expected:?}");
        };
        let printed: Vec<_> = line.splitn(3, ' ').collect();
        let [path, state, response] = printed[..] else {
            bail!("printed {line:?} instead of path, state and response")
        };
        let at = expected.iter().position(|(id, expected)| path.strip_prefix('/') == Some(*id) && state == *expected);
        let (id, _) = expected.swap_remove(at.with_context(|| format!("was not expected: {line}"))?);
        check(&folder, &operations[id], state, response).with_context(|| line.clone())?;
        exact |= response.contains(EXACT);
        count += 1;
    }
    ensure!(exact, "no amount arrived as {EXACT}: the receiver rounds numbers");
    Ok(format!("{count} callbacks of {} operations, with every digit", operations.len()))
}

fn operations(folder: &Path) -> Result<BTreeMap<String, Operation>> {
    #[derive(Deserialize)]
    struct Index {
        operations: BTreeMap<String, Operation>,
    }
    let index: Index = serde_json::from_str(&fs::read_to_string(folder.join("index.json"))?)?;
    Ok(index.operations.into_iter().filter(|(_, operation)| operation.callback.is_some()).collect())
}

/// The example of an operation, with the credentials of the sandbox and a webhook.
fn body(
    folder: &Path,
    operation: &Operation,
    sandbox: &Sandbox,
    operations: &BTreeMap<String, Operation>,
    webhook: &str,
) -> Result<String> {
    let vectors: Vec<Box<RawValue>> = serde_json::from_str(&fs::read_to_string(folder.join(&operation.vectors))?)?;
    // Not every vector is an object.
    let mut vectors = vectors.iter().filter_map(|vector| serde_json::from_str::<Vector>(vector.get()).ok());
    let mut body = vectors.find(|vector| vector.why == "every field").context("there is no example")?.body;
    let own = [("apikey", "demo-apikey"), ("appid", "demo-appid"), ("uid", "demo-business"), ("webhook", webhook)];
    for (name, value) in own.into_iter().filter(|(name, _)| body.contains_key(*name)).collect::<Vec<_>>() {
        body.insert(name.to_owned(), RawValue::from_string(json!(value).to_string())?);
    }
    // On one line, since the sandbox returns records as they were pushed, and the receiver prints a line.
    let text: String = serde_json::to_string(&body)?.lines().map(str::trim_start).collect();
    let mut text = text.replacen("19.99", EXACT, 1);
    let data: Option<Value> = body.get("data").map(|data| serde_json::from_str(data.get())).transpose()?;
    if let Some(url) = data.as_ref().and_then(|data| data["url"].as_str()) {
        text = text.replace(url, &uploaded(sandbox, operations)?);
    }
    Ok(text)
}

/// An address to which a settlement file was uploaded.
fn uploaded(sandbox: &Sandbox, operations: &BTreeMap<String, Operation>) -> Result<String> {
    let operation = operations.get("pull_storage_upload_url").context("no operation gives an upload address")?;
    let body = json!({ "apikey": "demo-apikey", "appid": "demo-appid", "uid": "demo-business" });
    let reply: Value = serde_json::from_str(&post(sandbox, &operation.path, None, &body.to_string())?)?;
    let url = reply["url"].as_str().context("the reply has no `url`")?;
    ureq::put(url).content_type("application/json").send("[]")?;
    Ok(url.to_owned())
}

fn post(sandbox: &Sandbox, path: &str, fault: Option<&str>, body: &str) -> Result<String> {
    let mut request = ureq::post(format!("{}{path}", sandbox.url)).content_type("application/json");
    request = request.header("X-API-Key", "demo-header-key");
    if let Some(fault) = fault {
        request = request.header("X-Sandbox-Fault", fault);
    }
    let mut reply = request.send(body).with_context(|| format!("{path}: {body}"))?;
    Ok(reply.body_mut().read_to_string()?)
}

/// The printed response has a field of its known shape besides those that any has.
fn check(folder: &Path, operation: &Operation, state: &str, response: &str) -> Result<()> {
    let response: BTreeMap<String, Value> = serde_json::from_str(response).context("`response` is not an object")?;
    let shape = operation.callback.as_ref().context("the operation has no callback")?;
    let shape: Value = serde_json::from_str(&fs::read_to_string(folder.join(shape))?)?;
    let known = |name: &String| shape["properties"].get(name).is_some();
    ensure!(state == "interim" || response.keys().all(known), "has fields that the shape does not have");
    ensure!(response.contains_key("error") && response.len() > 1, "has lost fields");
    Ok(())
}
