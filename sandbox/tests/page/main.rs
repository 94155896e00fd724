//! The page at `/_sandbox/` in a real browser, headless Chromium. `cargo xtask ci` runs this where Chromium is
//! installed, and keeps the picture.

mod browser;
mod filled;
mod reference;
#[path = "../support/mod.rs"]
mod support;
mod views;

use std::{
    path::Path,
    process::{Command, Output},
};

use axum::{body::Bytes, http::Request};
use browser::Driver;
use business_data_connector::{Connector, types::IncomeRecord};
use business_data_connector_sandbox::{DEMO_APIKEY, DEMO_APPID, DEMO_BUSINESS, Sandbox};
use http_body_util::Full;
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
    let delayed = IncomeRecord::new().notes("sandbox:latency=1");
    connector.push_income(DEMO_BUSINESS, delayed).webhook("http://127.0.0.1:1/hook?token=t").await?;
    assert!(connector.push_income("<b id=markup>bold</b>", IncomeRecord::new()).await.is_err());
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs Chromium and its driver"]
async fn the_page_can_be_used_with_the_keyboard_alone() -> TestResult {
    /// The keys, as WebDriver encodes them.
    const TAB: char = '\u{e004}';
    const ENTER: char = '\u{e007}';

    let sandbox = Sandbox::start().await?;
    let connector = Connector::builder().base_url(sandbox.base_url()).credentials(DEMO_APIKEY, DEMO_APPID).build()?;
    connector.push_income(DEMO_BUSINESS, IncomeRecord::new().id("INV-KEYBOARD")).await?;
    let driver = Driver::open(&sandbox).await?;
    driver
        .until("return document.querySelectorAll('summary').length >= 2 && document.forms[0].fault.length > 0")
        .await?;

    let focused = "const at = document.activeElement; return at.id || at.ariaLabel || at.textContent";
    let mut path = Vec::new();
    for _ in 0..20 {
        driver.press(TAB).await?;
        let at = driver.script(focused).await?.as_str().unwrap_or_default().to_owned();
        // Each is operated while it has the focus.
        match at.as_str() {
            "pause" => {
                driver.press(ENTER).await?;
                assert_eq!(driver.script("return document.activeElement.getAttribute('aria-pressed')").await?, "true");
            }
            "fault-number" => driver.press('7').await?,
            "Inject" => {
                driver.press(ENTER).await?;
                driver.until("return document.querySelectorAll('#rules tr').length === 1").await?;
            }
            "Remove latency=7" => {
                driver.press(ENTER).await?;
                driver.until("return document.querySelectorAll('#rules tr').length === 0").await?;
            }
            at if at.starts_with("Body,") || at.starts_with("demo-business") => {
                driver.press(ENTER).await?;
                driver.until("return document.activeElement.parentElement.querySelector('pre') !== null").await?;
            }
            _ => {}
        }
        path.push(at);
    }
    let sections = ["Requests", "Businesses", "Callbacks", "Faults", "Reference", "API of this page"];
    let requests = ["pause", "reset", "search", "refused", "Body, without secrets", "Body of request 1"];
    let business = ["demo-business: 1 record", "Records of demo-business"];
    let faults = ["fault", "fault-number", "fault-operation", "fault-times", "Inject", "Remove latency=7"];
    assert_eq!(path, [&sections[..], &requests, &business, &faults].concat());
    assert!(driver.text().await?.contains(r#""id":"INV-KEYBOARD""#));
    Ok(())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs Chromium and its driver"]
async fn the_page_follows_replaced_records_resets_and_restarts() -> TestResult {
    let sandbox = Sandbox::start().await?;
    let url = sandbox.base_url().to_owned();
    let connector = Connector::builder().base_url(&url).credentials(DEMO_APIKEY, DEMO_APPID).build()?;
    let push = |name: &str| connector.push_income(DEMO_BUSINESS, IncomeRecord::new().id("A").name(name));
    push("First").await?;
    let driver = Driver::open(&sandbox).await?;
    driver.shows("the record", |text| text.contains("demo-business: 1 record")).await?;
    driver.script("document.querySelector('#businesses details').open = true").await?;
    driver.shows("the first", |text| text.contains("First")).await?;
    push("Second").await?;
    driver.shows("the second", |text| text.contains("Second") && text.contains("2 requests so far")).await?;

    let reset = Request::post(format!("{url}/_sandbox/reset")).header("content-type", "application/json");
    let reset = reset.body(Full::<Bytes>::default())?;
    send(reset).await?;
    let lists = |requests: &str| {
        let shown = "[...document.querySelectorAll('#requests tr')].map((row) => row.cells[2].textContent).join()";
        format!("return {shown} === '{requests}'")
    };
    driver.until(&lists("")).await?;
    driver.shows("the reset", |text| text.contains("demo-business: 0 records")).await?;

    let address = url.trim_start_matches("http://").parse()?;
    push("Third").await?;
    driver.until(&lists("push_income")).await?;
    sandbox.stop().await?;
    let sandbox = Sandbox::builder().listen(address).start().await?;
    connector.verify_apikey().await?;
    driver.until(&lists("verify_apikey")).await?;
    drop(sandbox);
    Ok(())
}
