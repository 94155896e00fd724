//! Opens a data file: one of this program, which no other process uses, and which only its owner may read.
//!
//! Whose file it is, is read from its header before anything is written, so that the file of another program is refused
//! and left unchanged.

use std::{
    ffi::OsString,
    fs::{self, File, OpenOptions},
    io::{self, Read},
    path::{Path, PathBuf},
    time::Duration,
};

use rusqlite::{Connection, OpenFlags};

use super::{
    error::{Result, StoreError},
    schema,
};

/// How long a process that is stopping may take to let go of the file.
const PATIENCE: Duration = Duration::from_secs(2);

/// The connections to a file.
pub(super) struct Opened {
    pub(super) writer: Connection,
    pub(super) reader: Connection,
    /// Keeps other processes out for as long as it is open.
    pub(super) lock: Connection,
}

pub(super) fn open(file: &Path) -> Result<Opened> {
    let lock_file = lock_file(file);
    // A file that is in use is not even opened: on Unix, closing it again would release the locks of its user.
    let known = if lock_file.exists() { None } else { Some(identify(file)?) };
    let lock = lock(&lock_file)?;
    let kind = known.map_or_else(|| identify(file), Ok)?;
    create_private(file).map_err(StoreError::File)?;
    let writer = Connection::open(file)?;
    writer.busy_timeout(PATIENCE)?;
    match kind {
        // Before WAL is on, so that the header is in the file itself from the first moment.
        Kind::New => schema::create(&writer)?,
        Kind::Ours => schema::upgrade(&writer)?,
    }
    writer.pragma_update(None, "journal_mode", "WAL")?;
    writer.pragma_update(None, "synchronous", "NORMAL")?;
    let reader = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    reader.busy_timeout(PATIENCE)?;
    Ok(Opened { writer, reader, lock })
}

enum Kind {
    New,
    Ours,
}

/// What a file is, from its header alone.
fn identify(file: &Path) -> Result<Kind> {
    /// The positions in <https://sqlite.org/fileformat2.html#the_database_header>.
    const HEADER: usize = 100;
    const USER_VERSION: usize = 60;
    const APPLICATION_ID: usize = 68;

    let mut header = Vec::new();
    match File::open(file) {
        Ok(opened) => _ = opened.take(HEADER as u64).read_to_end(&mut header).map_err(StoreError::File)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Kind::New),
        Err(error) => return Err(StoreError::File(error)),
    }
    if header.is_empty() {
        return Ok(Kind::New);
    }
    let number = |at: usize| header.get(at..at + 4)?.try_into().ok().map(i32::from_be_bytes);
    if !header.starts_with(b"SQLite format 3\0") {
        return Err(StoreError::NotOurs);
    }
    match (number(APPLICATION_ID), number(USER_VERSION)) {
        (Some(schema::APPLICATION_ID), _) => Ok(Kind::Ours),
        // The version before the identifier was written has to be known by its tables.
        (Some(0), Some(schema::FIRST_VERSION)) if has_first_tables(file)? => Ok(Kind::Ours),
        _ => Err(StoreError::NotOurs),
    }
}

/// Whether a file has exactly the tables of the first version. It is read without locks, and without a WAL.
fn has_first_tables(file: &Path) -> Result<bool> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
    let path = file.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    let found = Connection::open_with_flags(format!("file:{path}?immutable=1"), flags)?;
    schema::are_of_first_version(&found)
}

fn lock_file(file: &Path) -> PathBuf {
    let mut name = OsString::from(file);
    name.push("-lock");
    name.into()
}

/// Locks an empty database beside the file. Its lock ends with the process, however that ends.
fn lock(file: &Path) -> Result<Connection> {
    create_private(file).map_err(StoreError::File)?;
    let lock = Connection::open(file)?;
    lock.busy_timeout(PATIENCE)?;
    lock.execute_batch("BEGIN EXCLUSIVE")?;
    Ok(lock)
}

/// Creates a file that only its owner may read and write, or makes an existing one so. What SQLite creates beside it
/// gets the same permissions.
fn create_private(file: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.create_new(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(file) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => make_private(file),
        created => created.map(drop),
    }
}

#[cfg(unix)]
fn make_private(file: &Path) -> io::Result<()> {
    fs::set_permissions(file, std::os::unix::fs::PermissionsExt::from_mode(0o600))
}

#[cfg(not(unix))]
fn make_private(_: &Path) -> io::Result<()> {
    Ok(())
}
