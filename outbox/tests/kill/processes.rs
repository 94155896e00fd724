//! The worker and the sandbox, each a process.

use std::{
    collections::BTreeMap,
    net::SocketAddr,
    path::{Path, PathBuf},
    process::{ExitStatus, Stdio},
    time::Duration,
};

use business_data_connector::{
    Connector,
    callback::CallbackKey,
    inbox::{Inbox, SqliteStore, Synchronous},
};
use business_data_connector_outbox::Outbox;
use business_data_connector_sandbox::{DEMO_APIKEY, DEMO_APPID, Sandbox};
use tokio::process::{Child, Command};

use crate::proxy::{self, Left};

/// Where everything is.
pub struct Setting {
    folder: PathBuf,
    sandbox: SocketAddr,
    inbox: SocketAddr,
    proxy: SocketAddr,
    left: Left,
}

impl Setting {
    pub async fn new(folder: &Path) -> Self {
        let (sandbox, inbox) = (free(), free());
        let (proxy, left) = proxy::start(sandbox).await;
        Self { folder: folder.to_owned(), sandbox, inbox, proxy, left }
    }

    pub fn left(&self) -> BTreeMap<String, u32> {
        self.left.lock().unwrap().clone()
    }

    pub fn worker(&self, crash_at: Option<&str>) -> Worker {
        let mut command = self.command("as_the_worker");
        if let Some(point) = crash_at {
            command.env("BDC_OUTBOX_CRASH_AT", point);
        }
        Worker(command.spawn().unwrap())
    }

    pub fn sandbox(&self) -> Child {
        self.command("as_the_sandbox").spawn().unwrap()
    }

    fn command(&self, test: &str) -> Command {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", &format!("processes::{test}"), "--ignored", "--nocapture"]);
        command.env("BDC_FOLDER", &self.folder).env("BDC_SANDBOX", self.sandbox.to_string());
        command.env("BDC_INBOX", self.inbox.to_string()).env("BDC_PROXY", self.proxy.to_string());
        command.kill_on_drop(true).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }
}

/// A port that is free now.
fn free() -> SocketAddr {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap()
}

pub struct Worker(Child);

impl Worker {
    pub async fn killed(mut self) {
        // It may have ended by itself.
        let _ = self.0.kill().await;
    }

    pub async fn ended(mut self) -> ExitStatus {
        self.0.wait().await.unwrap()
    }
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

#[tokio::test]
#[ignore = "a process of another test"]
async fn as_the_worker() {
    let Some(folder) = variable("BDC_FOLDER").map(PathBuf::from) else { return };
    let address: SocketAddr = variable("BDC_INBOX").unwrap().parse().unwrap();
    let key = CallbackKey::new(1, b"32 bytes that the tests agree on").unwrap();
    let store = SqliteStore::open_with(folder.join("callbacks.db"), Synchronous::Normal).unwrap();
    let inbox = Inbox::builder(&format!("http://{address}"), key).store(store).bind(address).await.unwrap();
    let url = format!("http://{}", variable("BDC_PROXY").unwrap());
    let connector = Connector::builder().base_url(url).credentials(DEMO_APIKEY, DEMO_APPID).build().unwrap();
    let outbox = Outbox::sqlite_without_sync(folder.join("outbox.db")).await.unwrap();
    let millis = Duration::from_millis;
    let worker = outbox.worker(connector, inbox).batch_records(20).poll_interval(millis(20)).call_limit(millis(500));
    let worker = worker.delays(millis(5), millis(50)).checks(millis(300), millis(300)).unconfirmed_after(millis(2_000));
    let _worker = worker.run().await.unwrap();
    std::future::pending::<()>().await;
}

#[tokio::test]
#[ignore = "a process of another test"]
async fn as_the_sandbox() {
    let Some(folder) = variable("BDC_FOLDER").map(PathBuf::from) else { return };
    let builder = Sandbox::builder().data(folder.join("sandbox.db")).clock("100x".parse().unwrap());
    let address = variable("BDC_SANDBOX").unwrap().parse().unwrap();
    let _sandbox = builder.listen(address).start().await.unwrap();
    std::future::pending::<()>().await;
}
