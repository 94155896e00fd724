//! What every store of callbacks does, and what the SQLite file survives.
#![cfg(feature = "sqlite")]
#![allow(clippy::unwrap_used, reason = "the helpers of a test may fail it, as the test may")]

mod support;

use std::{
    env,
    io::{BufRead, BufReader},
    path::Path,
    process::{Command, Stdio},
    sync::Arc,
    time::Duration,
};

use business_data_connector::{
    callback::{CallbackAddress, CallbackId, CallbackKey},
    inbox::{
        Added, Inbox, InboxBuilder, MemoryStore, NewCallback, Order, SqliteStore, Store, StoreFuture, StoredCallback,
        Synchronous,
    },
};
use support::{Sender, TestResult};

fn builder(url: &str) -> InboxBuilder {
    Inbox::builder(url, CallbackKey::new(1, b"a secret of the tests, no. 1").unwrap())
}

fn address(inbox: &Inbox) -> CallbackAddress {
    inbox.endpoint().address_for("push_income", Some("demo-business")).unwrap()
}

/// The address as the inbox is reached at.
fn url(inbox: &Inbox, address: &CallbackAddress) -> String {
    format!("http://{}{}", inbox.local_address().unwrap(), address.path())
}

async fn conforms(store: impl Store) -> TestResult {
    let store: Arc<dyn Store> = Arc::new(store);
    let inbox = builder("http://localhost").store(Shared(store.clone())).bind("127.0.0.1:0").await?;
    let (sender, first, second) = (Sender::new(), address(&inbox), address(&inbox));
    // Equal bodies at one address are one callback; at two addresses they are two.
    for (address, body) in [(&first, "1"), (&second, "1"), (&first, "1"), (&first, "2"), (&second, "1")] {
        assert_eq!(sender.post(&url(&inbox, address), body).await, 200);
    }
    assert_eq!((inbox.counts().new, inbox.counts().duplicates), (3, 2));
    let all = store.unhandled(0, 10).await?;
    let seen: Vec<_> = all.iter().map(|stored| (stored.callback.id, stored.after_final)).collect();
    assert_eq!(seen, [(first.id(), false), (second.id(), false), (first.id(), true)]);
    assert!(all.windows(2).all(|pair| pair[0].number < pair[1].number));
    assert_eq!(store.unhandled(all[0].number, 1).await?, all[1..2]);
    assert_eq!(store.of_address(first.id(), 0).await?, [all[0].clone(), all[2].clone()]);
    assert_eq!(store.of_address(first.id(), all[0].number).await?, [all[2].clone()]);
    assert_eq!(&all[2].callback.body[..], b"2");
    // What is handled is gone, but still recognised; handling it twice is harmless.
    for _ in 0..2 {
        store.set_handled(all[0].number).await?;
    }
    assert_eq!(store.unhandled(0, 10).await?, all[1..]);
    assert_eq!(sender.post(&url(&inbox, &first), "1").await, 200);
    assert_eq!((inbox.counts().new, inbox.counts().duplicates), (3, 3));
    assert_eq!(store.unhandled(0, 10).await?.len(), 2);
    Ok(())
}

/// A store that is also looked into from outside.
struct Shared(Arc<dyn Store>);

impl Store for Shared {
    fn add(&self, callback: NewCallback) -> StoreFuture<'_, Added> {
        self.0.add(callback)
    }

    fn of_address(&self, id: CallbackId, after: u64) -> StoreFuture<'_, Vec<StoredCallback>> {
        self.0.of_address(id, after)
    }

    fn unhandled(&self, after: u64, limit: usize) -> StoreFuture<'_, Vec<StoredCallback>> {
        self.0.unhandled(after, limit)
    }

    fn set_handled(&self, number: u64) -> StoreFuture<'_, ()> {
        self.0.set_handled(number)
    }

    fn is_durable(&self) -> bool {
        self.0.is_durable()
    }
}

#[tokio::test]
async fn both_stores_keep_deduplicate_order_and_handle() -> TestResult {
    let folder = tempfile::tempdir()?;
    conforms(MemoryStore::new()).await?;
    conforms(SqliteStore::open(folder.path().join("full"))?).await?;
    conforms(SqliteStore::open_with(folder.path().join("normal"), Synchronous::Normal)?).await
}

#[tokio::test]
async fn an_awaited_callback_stays_in_a_durable_store_until_it_is_done() -> TestResult {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("callbacks.db");
    let id = {
        let inbox = builder("http://localhost").store(SqliteStore::open(&file)?).bind("127.0.0.1:0").await?;
        let address = address(&inbox);
        assert_eq!(Sender::new().post(&url(&inbox, &address), "{}").await, 200);
        inbox.wait_for(address.id(), Duration::from_secs(60)).await?;
        address.id()
    };
    // After a restart it is there for whoever asks for it, and once it is done it is not.
    let inbox = builder("http://localhost").store(SqliteStore::open(&file)?).build()?;
    inbox.wait_for(id, Duration::ZERO).await?.done().await?;
    assert!(inbox.wait_for(id, Duration::ZERO).await.is_err_and(|error| error.is_no_callback()));
    Ok(())
}

#[tokio::test]
async fn two_instances_with_one_file_share_what_arrives() -> TestResult {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("callbacks.db");
    let receives = builder("http://localhost").store(SqliteStore::open(&file)?).bind("127.0.0.1:0").await?;
    let waits = builder("http://localhost").store(SqliteStore::open(&file)?).build()?;
    let address = address(&waits);
    let waiting = tokio::spawn({
        let (waits, id) = (waits.clone(), address.id());
        async move { waits.wait_for(id, Duration::from_secs(60)).await }
    });
    for _ in 0..2 {
        assert_eq!(Sender::new().post(&url(&receives, &address), "{}").await, 200);
    }
    assert_eq!(waiting.await??.order(), Order::Final);
    assert_eq!(receives.counts().duplicates, 1);
    Ok(())
}

#[test]
fn a_file_of_another_program_is_refused_and_left_unchanged() -> TestResult {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("file");
    std::fs::write(&file, "not a database, and longer than the header of one, which has a hundred bytes".repeat(3))?;
    let before = std::fs::read(&file)?;
    let error = SqliteStore::open(&file).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("cannot be opened"), "{error}");
    assert_eq!(std::fs::read(&file)?, before);
    let other = folder.path().join("other");
    rusqlite::Connection::open(&other)?.execute_batch("CREATE TABLE callbacks (a)")?;
    let error = SqliteStore::open(&other).map(|_| ()).unwrap_err().to_string();
    assert!(error.ends_with("it is a file of another program or version"), "{error}");
    assert!(SqliteStore::open(folder.path()).is_err());
    Ok(())
}

/// Set in the process that is killed.
const FILE: &str = "BDC_TEST_CALLBACKS";

/// A receiver in a process of its own: prints its address, and handles nothing that it receives.
#[tokio::test]
#[ignore = "it is run by the test that kills it"]
async fn receiver_that_is_killed() -> TestResult {
    let file = env::var(FILE)?;
    let inbox = builder("http://localhost").store(SqliteStore::open(file)?).bind("127.0.0.1:0").await?;
    println!("listening on {}", inbox.local_address().ok_or("not bound")?);
    std::future::pending().await
}

/// Starts the receiver, and returns its address.
fn start(file: &Path) -> Result<(std::process::Child, String), Box<dyn std::error::Error>> {
    let mut command = Command::new(env::current_exe()?);
    command.args(["receiver_that_is_killed", "--ignored", "--exact", "--nocapture"]).env(FILE, file);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let mut lines = BufReader::new(child.stdout.take().ok_or("no output")?).lines();
    // The harness prints the name of the test on the same line.
    let found = lines.find_map(|line| line.ok()?.split_once("listening on ").map(|(_, host)| host.trim().to_owned()));
    Ok((child, found.ok_or("the receiver does not listen")?))
}

#[tokio::test]
async fn what_was_answered_200_is_there_once_after_kill_minus_9() -> TestResult {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("callbacks.db");
    let endpoint = builder("http://localhost").build()?;
    for round in 1..=20 {
        let address = address(&endpoint);
        let (mut child, host) = start(&file)?;
        let url = format!("http://{host}{}", address.path());
        let sender = Sender::new();
        assert_eq!(sender.post(&url, format!("{round}")).await, 200);
        // Killed between the answer and any use.
        child.kill()?;
        child.wait()?;
        let (mut child, host) = start(&file)?;
        let again = format!("http://{host}{}", address.path());
        assert_eq!(sender.post(&again, format!("{round}")).await, 200, "the service did not see the answer");
        child.kill()?;
        child.wait()?;
        let store = SqliteStore::open(&file)?;
        let held = store.unhandled(0, 100).await?;
        assert_eq!(held.len(), 1, "round {round}");
        assert_eq!((held[0].callback.id, &held[0].callback.body[..]), (address.id(), round.to_string().as_bytes()));
        store.set_handled(held[0].number).await?;
    }
    Ok(())
}
