use std::{
    error::Error,
    fs,
    path::Path,
    sync::{Arc, Barrier},
};

use super::*;

type TestResult = std::result::Result<(), Box<dyn Error>>;

const INSERT: &str = "INSERT INTO uploads (uid, name, token, expires) VALUES ('u', 'n', 't', 0)";

type Work = Box<dyn FnOnce(&Connection) -> Result<()> + Send>;

fn count(store: &Store) -> Result<i64> {
    store.run_blocking(|db| Ok(db.query_row("SELECT count(*) FROM uploads", [], |row| row.get(0))?))
}

#[test]
fn the_linked_sqlite_has_the_fix_of_the_wal_reset_bug() {
    // https://sqlite.org/wal.html#walresetbug
    assert!(rusqlite::version_number() >= 3_051_003, "{}", rusqlite::version());
}

#[test]
fn a_store_in_memory_has_large_pages() -> TestResult {
    let store = Store::open(None)?;
    let size: u32 = store.run_blocking(|db| Ok(db.query_row("PRAGMA page_size", [], |row| row.get(0))?))?;
    assert_eq!(size, PAGE_IN_MEMORY);
    Ok(())
}

#[test]
fn a_job_that_fails_leaves_nothing_behind() -> TestResult {
    let store = Store::open(None)?;
    let failed = store.run_blocking(|db| {
        db.execute(INSERT, [])?;
        Ok(db.execute("INSERT INTO nowhere VALUES (1)", [])?)
    });
    assert!(failed.is_err());
    assert_eq!(count(&store)?, 0);
    store.run_blocking(|db| Ok(db.execute(INSERT, [])?))?;
    assert_eq!(count(&store)?, 1);
    Ok(())
}

#[test]
fn a_job_that_panics_leaves_nothing_behind_and_the_store_usable() -> TestResult {
    let store = Store::open(None)?;
    let panicked: Result<()> = store.run_blocking(|db| {
        db.execute(INSERT, [])?;
        panic!("on purpose")
    });
    assert!(panicked.is_err());
    assert_eq!(count(&store)?, 0);
    Ok(())
}

#[test]
fn on_a_full_disk_what_fails_is_not_stored_and_the_first_error_is_reported() -> TestResult {
    let folder = tempfile::tempdir()?;
    let store = Store::open(Some(&folder.path().join("file")))?;
    // The file may not grow any more.
    store.run_blocking(|db| Ok(db.execute_batch("PRAGMA max_page_count = 1")?))?;
    let size = store.run_blocking(|db| Ok(db.query_row("PRAGMA page_count", [], |row| row.get::<_, i64>(0))?))?;
    // The jobs are of one batch: the thread is busy until each is queued.
    let (busy, large) = (Arc::new(Barrier::new(2)), "x".repeat(100_000));
    let (sender, results) = mpsc::channel();
    let wait = busy.clone();
    let mut jobs: Vec<Work> = vec![Box::new(move |_| {
        wait.wait();
        Ok(())
    })];
    for number in 0..3 {
        let token = if number == 1 { large.clone() } else { "t".to_owned() };
        jobs.push(Box::new(move |db| {
            db.execute("INSERT INTO uploads (uid, name, token, expires) VALUES ('u', ?1, ?2, 0)", (number, token))?;
            Ok(())
        }));
    }
    let number_of_jobs = jobs.len();
    for (number, work) in jobs.into_iter().enumerate() {
        let sender = sender.clone();
        let job = job(work, move |result| _ = sender.send((number, result.map_err(|error| error.to_string()))));
        store.writer.send(Message::Work(job)).map_err(|_| "the thread has ended")?;
    }
    busy.wait();
    let results: Vec<_> = results.iter().take(number_of_jobs).collect();
    let stored = count(&store)?;
    let accepted = results.iter().filter(|(number, result)| *number > 0 && result.is_ok()).count();
    assert_eq!(i64::try_from(accepted)?, stored, "{results:?}, {size} pages");
    let failed: Vec<_> = results.iter().filter_map(|(_, result)| result.as_ref().err()).collect();
    assert!(!failed.is_empty());
    assert!(failed.iter().all(|problem| problem.ends_with("database or disk is full")), "{failed:?}");
    // Once there is space again, it works as before.
    store.run_blocking(|db| Ok(db.execute_batch("PRAGMA max_page_count = 4294967294")?))?;
    store.run_blocking(|db| Ok(db.execute(INSERT, [])?))?;
    assert_eq!(count(&store)?, stored + 1);
    Ok(())
}

#[test]
fn the_file_of_another_program_is_refused_and_left_unchanged() -> TestResult {
    let folder = tempfile::tempdir()?;
    let other = |version: i32, id: i32| -> std::result::Result<Vec<u8>, Box<dyn Error>> {
        let file = folder.path().join("made");
        Connection::open(&file)?.execute_batch(&format!(
            "PRAGMA user_version = {version}; PRAGMA application_id = {id}; CREATE TABLE theirs (x);"
        ))?;
        let bytes = fs::read(&file)?;
        fs::remove_file(file)?;
        Ok(bytes)
    };
    let text = b"not a database, and longer than the header of one, which has a hundred bytes .....................";
    for bytes in [text.to_vec(), b"short".to_vec(), other(2, 0)?, other(3, 0)?, other(3, 77)?] {
        let file = folder.path().join("file");
        fs::write(&file, &bytes)?;
        let error = Store::open(Some(&file)).err().map(|error| error.to_string()).unwrap_or_default();
        assert_eq!(error, "it is not a data file of the sandbox, and was left unchanged");
        assert_eq!(fs::read(&file)?, bytes);
        let beside: Vec<_> =
            fs::read_dir(&folder)?.map(|entry| Ok(entry?.file_name())).collect::<std::io::Result<_>>()?;
        assert_eq!(beside, ["file"], "nothing is left beside it");
    }
    Ok(())
}

#[test]
fn a_file_of_an_older_version_is_upgraded_and_one_of_a_newer_refused_with_what_to_do() -> TestResult {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("file");
    let older = Connection::open(&file)?;
    older.execute_batch(schema::FIRST_TABLES)?;
    older.execute_batch(&format!(
        "PRAGMA journal_mode = WAL; PRAGMA user_version = {};
         INSERT INTO businesses VALUES ('demo-business', NULL, '{{}}');
         INSERT INTO records (uid, kind, id, data) VALUES ('demo-business', 'IncomeRecord', 'A', '{{\"id\":\"A\"}}');
         INSERT INTO uploads VALUES ('demo-business', 'upload-1', 't', 9, '[]');
         INSERT INTO queue (operation, uid, data) VALUES ('push_income', 'demo-business', '{{}}');
         INSERT INTO callbacks (operation, direction, webhook, response, created, due)
             VALUES ('push_income', 'push', 'http://127.0.0.1:1/', '{{}}', 1, 1);
         INSERT INTO callbacks (operation, direction, webhook, response, created, delivered)
             VALUES ('push_income', 'push', 'http://127.0.0.1:1/', '{{}}', 1, 1);
         INSERT INTO attempts VALUES (2, 1, 'replied 200');",
        schema::FIRST_VERSION
    ))?;
    drop(older);
    let store = Store::open(Some(&file))?;
    store.run_blocking(|db| {
        assert_eq!(tables::records(db, "demo-business")?.len(), 1);
        assert_eq!(tables::record_count(db, "demo-business")?, 1);
        assert!(tables::next_queued(db)?.is_some());
        let address = uploads::Address { uid: "demo-business", name: "upload-1", token: "t" };
        assert!(uploads::upload(db, &address)?.is_some_and(|upload| upload.has_file));
        let callbacks = callbacks::callbacks_before(db, i64::MAX, 9)?;
        assert_eq!(callbacks.iter().map(|row| (row.id, row.finished)).collect::<Vec<_>>(), [(2, true), (1, false)]);
        assert_eq!(callbacks::due_callbacks(db, 2, 9)?.len(), 1);
        Ok(db.execute_batch("PRAGMA user_version = 99")?)
    })?;
    drop(store);
    let error = Store::open(Some(&file)).err().map(|error| error.to_string()).unwrap_or_default();
    assert!(error.starts_with("it has version 99") && error.ends_with("use a newer one"), "{error}");
    Ok(())
}

#[cfg(unix)]
#[test]
fn only_its_owner_may_read_a_data_file() -> TestResult {
    use std::os::unix::fs::PermissionsExt;

    let mode = |file: &Path| -> std::io::Result<u32> { Ok(fs::metadata(file)?.permissions().mode() & 0o777) };
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("file");
    let store = Store::open(Some(&file))?;
    store.run_blocking(|db| Ok(db.execute(INSERT, [])?))?;
    for entry in fs::read_dir(&folder)? {
        let path = entry?.path();
        assert_eq!(mode(&path)?, 0o600, "{}", path.display());
    }
    drop(store);
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644))?;
    let _store = Store::open(Some(&file))?;
    assert_eq!(mode(&file)?, 0o600);
    Ok(())
}

#[tokio::test]
async fn what_is_read_from_a_file_does_not_wait_for_the_writer_nor_the_writer_for_it() -> TestResult {
    let folder = tempfile::tempdir()?;
    let store = Store::open(Some(&folder.path().join("file")))?;
    let (busy, reading) = (Arc::new(Barrier::new(2)), Arc::new(Barrier::new(2)));
    let (wait, read) = (busy.clone(), reading.clone());
    let writer = store.clone();
    let write = tokio::task::spawn_blocking(move || {
        writer.run_blocking(move |db| {
            db.execute(INSERT, [])?;
            _ = wait.wait();
            Ok(())
        })
    });
    // The writer is within a transaction, and only what is read lets it go on.
    let reader = store.clone();
    let counted = tokio::spawn(async move {
        let count = |db: &Connection| Ok(db.query_row("SELECT count(*) FROM uploads", [], |row| row.get::<_, i64>(0))?);
        reader.read(count).await
    });
    assert_eq!(counted.await??, 0);
    busy.wait();
    write.await??;
    // The reader is busy, and only what is written lets it go on.
    let reader = store.clone();
    let slow = tokio::spawn(async move {
        reader
            .read(move |_| {
                _ = read.wait();
                Ok(())
            })
            .await
    });
    // The write may be done at once; then nothing else would start the task before this thread waits for it.
    tokio::task::yield_now().await;
    store.run(|db| Ok(db.execute(INSERT, [])?)).await?;
    reading.wait();
    slow.await??;
    Ok(())
}
