//! A browser controlled through WebDriver.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use axum::{body::Bytes, http::Request};
use base64::{Engine, prelude::BASE64_STANDARD};
use business_data_connector_sandbox::Sandbox;
use http_body_util::Full;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::support::{TestResult, send};

/// The browser, which ends when this is dropped.
pub struct Driver {
    child: Child,
    session: String,
    _profile: TempDir,
}

impl Drop for Driver {
    fn drop(&mut self) {
        // The browser does not end with its driver.
        let _ = self.close();
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Driver {
    /// Opens the page of a sandbox.
    pub async fn open(sandbox: &Sandbox) -> TestResult<Self> {
        Self::open_at(sandbox, "").await
    }

    /// Opens another page below `/_sandbox/`.
    pub async fn open_at(sandbox: &Sandbox, page: &str) -> TestResult<Self> {
        let driver = Self::start(tempfile::tempdir()?).await?;
        driver.ask("url", json!({ "url": format!("{}/_sandbox/{page}", sandbox.base_url()) })).await?;
        Ok(driver)
    }

    async fn start(profile: TempDir) -> TestResult<Self> {
        let mut child =
            Command::new("chromedriver").arg("--port=0").stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let output = child.stdout.take().ok_or("no output")?;
        let folder = format!("--user-data-dir={}", profile.path().display());
        let mut driver = Self { child, session: String::new(), _profile: profile };
        let port = BufReader::new(output).lines().map_while(Result::ok).find_map(|line| {
            let (_, port) = line.split_once("started successfully on port ")?;
            port.trim_end_matches('.').parse::<u16>().ok()
        });
        let base = format!("http://127.0.0.1:{}/session", port.ok_or("no port")?);
        let arguments = json!([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-background-networking",
            "--disable-sync",
            "--hide-scrollbars",
            "--window-size=1280,900",
            folder,
        ]);
        let expected = json!({ "capabilities": { "alwaysMatch": { "goog:chromeOptions": { "args": arguments } } } });
        let session = call(&base, &expected).await?;
        driver.session = format!("{base}/{}", session["sessionId"].as_str().ok_or("no session")?);
        Ok(driver)
    }

    /// Ends the session, and so the browser. It blocks, because nothing can be awaited where a value is dropped.
    fn close(&self) -> std::io::Result<()> {
        let Some((host, path)) = self.session.trim_start_matches("http://").split_once('/') else { return Ok(()) };
        let mut stream = TcpStream::connect(host)?;
        stream.set_read_timeout(Some(Duration::from_secs(10)))?;
        write!(stream, "DELETE /{path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n")?;
        // The driver replies once the browser has ended, and keeps the connection open.
        stream.read(&mut [0; 1024]).map(drop)
    }

    async fn ask(&self, command: &str, body: Value) -> TestResult<Value> {
        call(&format!("{}/{command}", self.session), &body).await
    }

    pub async fn press(&self, key: char) -> TestResult {
        let (down, up) = (json!({ "type": "keyDown", "value": key }), json!({ "type": "keyUp", "value": key }));
        self.ask("actions", json!({ "actions": [{ "type": "key", "id": "keyboard", "actions": [down, up] }] })).await?;
        Ok(())
    }

    /// Runs a function body, and returns its result.
    pub async fn script(&self, script: &str) -> TestResult<Value> {
        self.ask("execute/sync", json!({ "script": script, "args": [] })).await
    }

    /// Runs a function body until it returns `true`.
    pub async fn until(&self, script: &str) -> TestResult {
        self.wait(script, async || Ok(self.script(script).await? == true)).await
    }

    /// Waits until the page shows what is described.
    pub async fn shows(&self, described: &str, is_shown: impl Fn(&str) -> bool) -> TestResult {
        self.wait(described, async || Ok(is_shown(&self.text().await?))).await
    }

    async fn wait(&self, condition: &str, holds: impl AsyncFn() -> TestResult<bool>) -> TestResult {
        // Only a failure takes this long.
        let waited = tokio::time::timeout(Duration::from_secs(60), async {
            while !holds().await? {}
            Ok(())
        });
        match waited.await {
            Ok(result) => result,
            Err(_) => Err(format!("never true: {condition}; the page: {}", self.text().await?).into()),
        }
    }

    /// The text that the page shows.
    pub async fn text(&self) -> TestResult<String> {
        Ok(self.script("return document.body.innerText").await?.as_str().unwrap_or_default().to_owned())
    }

    /// A command of the Chrome DevTools Protocol.
    async fn devtools(&self, command: &str, parameters: Value) -> TestResult<Value> {
        self.ask("goog/cdp/execute", json!({ "cmd": command, "params": parameters })).await
    }

    /// Sets the width of the page in CSS pixels, and how many device pixels each has.
    pub async fn resize(&self, width: u32, scale: u32) -> TestResult {
        let metrics = json!({ "width": width, "height": 800, "deviceScaleFactor": scale, "mobile": false });
        self.devtools("Emulation.setDeviceMetricsOverride", metrics).await?;
        Ok(())
    }

    /// Sets a media feature, such as `prefers-color-scheme`.
    pub async fn prefer(&self, feature: &str, value: &str) -> TestResult {
        let features = json!({ "features": [{ "name": feature, "value": value }] });
        self.devtools("Emulation.setEmulatedMedia", features).await?;
        Ok(())
    }

    /// Keeps a picture of the whole page, as `target/pictures/sandbox-{name}.png`.
    pub async fn picture(&self, name: &str) -> TestResult {
        self.script("document.getAnimations().forEach((animation) => animation.finish())").await?;
        let shot = self.devtools("Page.captureScreenshot", json!({ "captureBeyondViewport": true })).await?;
        let bytes = BASE64_STANDARD.decode(shot["data"].as_str().unwrap_or_default())?;
        assert!(bytes.len() > 10_000, "the picture {name} is empty");
        let folder = pictures()?;
        std::fs::write(folder.join(format!("sandbox-{name}.png")), bytes)?;
        Ok(())
    }
}

fn pictures() -> TestResult<PathBuf> {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().ok_or("no target folder")?;
    let folder = target.join("pictures");
    std::fs::create_dir_all(&folder)?;
    Ok(folder)
}

async fn call(url: &str, body: &Value) -> TestResult<Value> {
    let request =
        Request::post(url).header("content-type", "application/json").body(Full::<Bytes>::from(body.to_string()))?;
    let (status, text) = send(request).await?;
    let value: Value = serde_json::from_slice(&text)?;
    if status.is_success() { Ok(value["value"].clone()) } else { Err(format!("{url}: {value}").into()) }
}
