//! The page at `/_sandbox/` in a real browser, headless Chromium. `cargo xtask ci` runs this where Chromium is
//! installed, and keeps the picture.

mod support;

use std::{
    io::{BufRead, BufReader},
    path::Path,
    process::{Command, Output, Stdio},
};

use axum::{body::Bytes, http::Request};
use business_data_connector::{Connector, types::IncomeRecord};
use business_data_connector_sandbox::{DEMO_APIKEY, DEMO_APPID, DEMO_BUSINESS, Sandbox};
use http_body_util::Full;
use serde_json::{Value, json};
use support::{TestResult, send};

/// Runs the browser on the page, with time for its scripts.
fn browse(url: &str, profile: &Path, arguments: &[&str]) -> std::io::Result<Output> {
    Command::new("chromium")
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args(["--virtual-time-budget=3000", "--window-size=1280,900"])
        .arg(format!("--user-data-dir={}", profile.display()))
        .args(arguments)
        .arg(format!("{url}/_sandbox/"))
        .output()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs Chromium"]
async fn the_page_shows_why_a_request_was_refused() -> TestResult {
    let sandbox = Sandbox::start().await?;
    let connector = Connector::builder().base_url(sandbox.base_url()).credentials(DEMO_APIKEY, DEMO_APPID).build()?;
    let markup = IncomeRecord::new().id("<b id=markup>bold</b>").notes("sandbox:latency=1");
    connector.push_income(DEMO_BUSINESS, markup).webhook("http://127.0.0.1:1/hook?token=t").await?;
    assert!(connector.push_income("nobody", IncomeRecord::new()).await.is_err());
    sandbox.records(DEMO_BUSINESS)?;

    let profile = tempfile::tempdir()?;
    let (url, folder) = (sandbox.base_url().to_owned(), profile.path().to_owned());
    let dom = tokio::task::spawn_blocking(move || browse(&url, &folder, &["--dump-dom"])).await??;
    let dom = String::from_utf8(dom.stdout)?;
    for expected in [
        "At /uid: expected the uid of a business that exists; create one, or use the demo business, got an unknown uid (business).",
        "2 requests so far",
        "demo-business: 1 record",
        "http://127.0.0.1:1/hook?[hidden]",
        "Injected fault: latency=1.",
        "&lt;b id=markup&gt;",
    ] {
        assert!(dom.contains(expected), "{expected}: {dom}");
    }
    // What a request holds is shown as text.
    assert!(!dom.contains("<b id"), "{dom}");

    if let Some(picture) = std::env::var_os("BDC_PAGE_PICTURE") {
        let (url, folder) = (sandbox.base_url().to_owned(), profile.path().to_owned());
        let argument = format!("--screenshot={}", Path::new(&picture).display());
        tokio::task::spawn_blocking(move || browse(&url, &folder, &[&argument])).await??;
        assert!(std::fs::metadata(&picture)?.len() > 10_000, "the picture is empty");
    }
    Ok(())
}

/// A browser controlled through WebDriver, which ends when this is dropped.
struct Driver {
    child: std::process::Child,
    session: String,
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Driver {
    async fn start(profile: &Path) -> TestResult<Self> {
        let mut child =
            Command::new("chromedriver").arg("--port=0").stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let output = child.stdout.take().ok_or("no output")?;
        let mut driver = Self { child, session: String::new() };
        let port = BufReader::new(output).lines().map_while(Result::ok).find_map(|line| {
            let (_, port) = line.split_once("started successfully on port ")?;
            port.trim_end_matches('.').parse::<u16>().ok()
        });
        let base = format!("http://127.0.0.1:{}/session", port.ok_or("no port")?);
        let arguments =
            ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"];
        let arguments: Vec<_> = arguments
            .iter()
            .map(ToString::to_string)
            .chain([format!("--user-data-dir={}", profile.display())])
            .collect();
        let expected = json!({ "capabilities": { "alwaysMatch": { "goog:chromeOptions": { "args": arguments } } } });
        let session = call(&base, &expected).await?;
        driver.session = format!("{base}/{}", session["sessionId"].as_str().ok_or("no session")?);
        Ok(driver)
    }

    async fn ask(&self, command: &str, body: Value) -> TestResult<Value> {
        call(&format!("{}/{command}", self.session), &body).await
    }

    async fn press(&self, key: char) -> TestResult {
        let (down, up) = (json!({ "type": "keyDown", "value": key }), json!({ "type": "keyUp", "value": key }));
        self.ask("actions", json!({ "actions": [{ "type": "key", "id": "keyboard", "actions": [down, up] }] })).await?;
        Ok(())
    }

    async fn script(&self, script: &str) -> TestResult<Value> {
        self.ask("execute/sync", json!({ "script": script, "args": [] })).await
    }
}

async fn call(url: &str, body: &Value) -> TestResult<Value> {
    let request =
        Request::post(url).header("content-type", "application/json").body(Full::<Bytes>::from(body.to_string()))?;
    let (status, text) = send(request).await?;
    let value: Value = serde_json::from_slice(&text)?;
    if status.is_success() { Ok(value["value"].clone()) } else { Err(format!("{url}: {value}").into()) }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs Chromium and its driver"]
async fn the_page_can_be_used_with_the_keyboard_alone() -> TestResult {
    /// The keys, as WebDriver encodes them.
    const TAB: char = '\u{e004}';
    const ENTER: char = '\u{e007}';

    let sandbox = Sandbox::start().await?;
    let connector = Connector::builder().base_url(sandbox.base_url()).credentials(DEMO_APIKEY, DEMO_APPID).build()?;
    connector.push_income(DEMO_BUSINESS, IncomeRecord::new().id("INV-KEYBOARD")).await?;
    let profile = tempfile::tempdir()?;
    let driver = Driver::start(profile.path()).await?;
    driver.ask("url", json!({ "url": format!("{}/_sandbox/", sandbox.base_url()) })).await?;
    // Until the page has loaded.
    while driver.script("return document.querySelectorAll('summary').length").await?.as_u64() < Some(2) {}

    let focused = "const at = document.activeElement; return at.id || at.textContent";
    let mut path = Vec::new();
    for _ in 0..5 {
        driver.press(TAB).await?;
        let at = driver.script(focused).await?.as_str().unwrap_or_default().to_owned();
        // Each is operated while it has the focus.
        match at.as_str() {
            "pause" => {
                driver.press(ENTER).await?;
                assert_eq!(driver.script("return document.activeElement.getAttribute('aria-pressed')").await?, "true");
            }
            at if at.starts_with("Body") || at.starts_with("demo-business") => {
                driver.press(ENTER).await?;
                assert_eq!(driver.script("return document.activeElement.parentElement.open").await?, true);
            }
            _ => {}
        }
        path.push(at);
    }
    assert_eq!(path, ["API of this page", "pause", "reset", "Body, without secrets", "demo-business: 1 record"]);
    while !driver
        .script("return document.body.innerText")
        .await?
        .as_str()
        .is_some_and(|text| text.contains(r#""id":"INV-KEYBOARD""#))
    {}
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs Chromium and its driver"]
async fn the_page_follows_replaced_records_resets_and_restarts() -> TestResult {
    async fn shows(driver: &Driver, expected: impl Fn(&str) -> bool) -> TestResult {
        while !driver.script("return document.body.innerText").await?.as_str().is_some_and(&expected) {}
        Ok(())
    }

    let sandbox = Sandbox::start().await?;
    let url = sandbox.base_url().to_owned();
    let connector = Connector::builder().base_url(&url).credentials(DEMO_APIKEY, DEMO_APPID).build()?;
    let push = |name: &str| connector.push_income(DEMO_BUSINESS, IncomeRecord::new().id("A").name(name));
    push("First").await?;
    let profile = tempfile::tempdir()?;
    let driver = Driver::start(profile.path()).await?;
    driver.ask("url", json!({ "url": format!("{url}/_sandbox/") })).await?;
    shows(&driver, |text| text.contains("demo-business: 1 record")).await?;
    driver.script("document.querySelector('#businesses details').open = true").await?;
    shows(&driver, |text| text.contains("First")).await?;
    push("Second").await?;
    shows(&driver, |text| text.contains("Second") && text.contains("2 requests so far")).await?;

    let reset = Request::post(format!("{url}/_sandbox/reset")).header("content-type", "application/json");
    let reset = reset.body(Full::<Bytes>::default())?;
    send(reset).await?;
    shows(&driver, |text| text.contains("demo-business: 0 records") && !text.contains("push_income")).await?;

    let address = url.trim_start_matches("http://").parse()?;
    push("Third").await?;
    shows(&driver, |text| text.contains("push_income")).await?;
    sandbox.stop().await?;
    let sandbox = Sandbox::builder().listen(address).start().await?;
    connector.verify_apikey().await?;
    shows(&driver, |text| text.contains("verify_apikey") && !text.contains("push_income")).await?;
    drop(sandbox);
    Ok(())
}
