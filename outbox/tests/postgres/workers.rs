//! Workers in processes of their own.

use std::{
    env,
    io::Read,
    process::{Child, Command, Stdio},
    time::Duration,
};

use business_data_connector::{
    Connector,
    callback::CallbackKey,
    inbox::{Inbox, MemoryStore},
};
use business_data_connector_outbox::Outbox;
use business_data_connector_sandbox::{DEMO_APIKEY, DEMO_APPID, DEMO_HEADER_KEY};

use crate::{cluster::pool, suite::bench::TestResult};

const DATABASE: &str = "BDC_TEST_WORKER_DATABASE";
const SERVICE: &str = "BDC_TEST_WORKER_SERVICE";

/// How long a call may take. A lease is half as long again.
pub const CALL: Duration = Duration::from_secs(2);

pub struct WorkerProcess(Child);

impl WorkerProcess {
    /// Runs this program again, with the one test that is a worker.
    pub fn start(database: &str, service: &str) -> Self {
        let mut command = Command::new(env::current_exe().unwrap());
        command.args(["a_worker_that_another_test_starts", "--exact", "--ignored"]);
        command.env(DATABASE, database).env(SERVICE, service);
        Self(command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap())
    }

    /// Ends the process at once, wherever it is.
    pub fn kill(mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }

    /// Lets the process store what it has sent, and end.
    pub fn stop(mut self) {
        drop(self.0.stdin.take());
        assert!(self.0.wait().unwrap().success());
    }
}

/// Sends until its standard input ends, which it does at the latest when the test ends.
pub async fn work() -> TestResult {
    let (Ok(database), Ok(service)) = (env::var(DATABASE), env::var(SERVICE)) else { return Ok(()) };
    let outbox = Outbox::postgres(pool(&database)).await?;
    let connector = Connector::builder().base_url(&service).credentials(DEMO_APIKEY, DEMO_APPID);
    let connector = connector.header_key(DEMO_HEADER_KEY).build()?;
    let key = CallbackKey::new(1, b"32 bytes that the tests agree on")?;
    let address = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?;
    let inbox = Inbox::builder(&format!("http://{address}"), key).store(MemoryStore::new()).bind(address).await?;
    let millis = Duration::from_millis;
    let day = Duration::from_secs(24 * 60 * 60);
    let worker = outbox.worker(connector, inbox).businesses_at_once(2).batch_records(5).call_limit(CALL);
    let worker = worker.checks(day, day).poll_interval(millis(20)).delays(millis(10), millis(50)).run().await?;
    tokio::task::spawn_blocking(|| std::io::stdin().read(&mut [0])).await??;
    worker.stop().await;
    Ok(())
}
