//! The page at `/_sandbox/` in a real browser: Debian's Chromium, headless. `cargo xtask ci` runs this where it is there, and
//! keeps the picture.

use std::{
    error::Error,
    path::Path,
    process::{Command, Output},
};

use business_data_connector::{Connector, types::IncomeRecord};
use business_data_connector_sandbox::{DEMO_APIKEY, DEMO_APPID, DEMO_BUSINESS, Sandbox};

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
async fn the_page_tells_in_plain_words_why_a_request_was_refused() -> Result<(), Box<dyn Error>> {
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
    for wanted in [
        "At /uid: expected the uid of a business; create one, or use the one that the sandbox knows from the start, got one of none (business).",
        "2 requests so far",
        "demo-business: 1 record",
        "http://127.0.0.1:1/hook?[hidden]",
        "The fault latency=1 was asked for.",
        "&lt;b id=markup&gt;",
    ] {
        assert!(dom.contains(wanted), "{wanted}: {dom}");
    }
    // What a request brings is text.
    assert!(!dom.contains("<b id"), "{dom}");

    if let Some(picture) = std::env::var_os("BDC_PAGE_PICTURE") {
        let (url, folder) = (sandbox.base_url().to_owned(), profile.path().to_owned());
        let argument = format!("--screenshot={}", Path::new(&picture).display());
        tokio::task::spawn_blocking(move || browse(&url, &folder, &[&argument])).await??;
        assert!(std::fs::metadata(&picture)?.len() > 10_000, "the picture is empty");
    }
    Ok(())
}
