//! A PostgreSQL server that is gone with the test.

#![allow(dead_code, reason = "each test uses some of it")]

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use business_data_connector_outbox::{
    Outbox,
    deadpool_postgres::{Manager, Pool, tokio_postgres::NoTls},
};

const SERVER: u16 = 5432;
const POOLER: u16 = 6432;

pub struct Cluster {
    programs: PathBuf,
    folder: tempfile::TempDir,
    port: u16,
}

impl Cluster {
    /// Starts a server that waits for no disk, if PostgreSQL is installed.
    pub fn start() -> Option<Self> {
        Self::start_with("-c fsync=off -c full_page_writes=off")
    }

    /// Starts a server with other settings.
    pub fn start_with(settings: &str) -> Option<Self> {
        let programs = installed("initdb")?;
        // The path of a socket has to be short.
        let folder = tempfile::Builder::new().prefix("bdc-pg").tempdir().unwrap();
        if is_root() {
            run(Command::new("chown").arg("postgres:").arg(folder.path()));
        }
        let cluster = Self { programs, folder, port: SERVER };
        let quick = ["-A", "trust", "-U", "bdc", "-E", "UTF8", "--locale=C", "--no-sync", "--no-instructions"];
        run(cluster.program("initdb").arg("-D").arg(cluster.path("data")).args(quick));
        let options = format!(
            "-k {} -p {SERVER} -c listen_addresses='' -c max_connections=100 {settings}",
            cluster.folder.path().display()
        );
        let start = ["-s", "-w", "-t", "30", "-o", &options, "start"];
        run(cluster.control().arg("-l").arg(cluster.path("log")).args(start));
        Some(cluster)
    }

    /// The same, behind PgBouncer in transaction mode, which has fewer connections than an application.
    pub fn start_with_pooler() -> Option<Self> {
        let pooler = installed("pgbouncer")?.join("pgbouncer");
        let mut cluster = Self::start()?;
        let folder = cluster.folder.path().display();
        let settings = format!(
            "[databases]\n* = host={folder} port={SERVER} user=bdc\n\
             [pgbouncer]\npool_mode = transaction\ndefault_pool_size = 3\nauth_type = any\n\
             listen_addr =\nlisten_port = {POOLER}\nunix_socket_dir = {folder}\n\
             pidfile = {folder}/pooler.pid\nlogfile = {folder}/pooler.log\n"
        );
        fs::write(cluster.path("pooler.ini"), settings).unwrap();
        run(cluster.unprivileged(&pooler).args(["-q", "-d"]).arg(cluster.path("pooler.ini")));
        cluster.port = POOLER;
        Some(cluster)
    }

    /// A new database with the tables of the outbox, and how to connect to it.
    pub async fn database(&self, name: &str) -> (Pool, String) {
        let (pool, address) = self.empty_database(name).await;
        Outbox::migrate_postgres(&pool).await.unwrap();
        (pool, address)
    }

    pub async fn empty_database(&self, name: &str) -> (Pool, String) {
        let server = pool(&self.address(SERVER, "postgres"));
        let client = server.get().await.unwrap();
        client.batch_execute(&format!("CREATE DATABASE {name}")).await.unwrap();
        let address = self.address(self.port, name);
        (pool(&address), address)
    }

    fn address(&self, port: u16, database: &str) -> String {
        format!("host={} port={port} user=bdc dbname={database}", self.folder.path().display())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn control(&self) -> Command {
        let mut command = self.program("pg_ctl");
        command.arg("-D").arg(self.path("data"));
        command
    }

    fn program(&self, name: &str) -> Command {
        self.unprivileged(&self.programs.join(name))
    }

    /// A program that refuses to be run by root.
    fn unprivileged(&self, program: &Path) -> Command {
        let mut command = if is_root() { Command::new("runuser") } else { Command::new(program) };
        if is_root() {
            command.args(["-u", "postgres", "--"]).arg(program);
        }
        command.current_dir(self.folder.path());
        command
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        if let Ok(pooler) = fs::read_to_string(self.path("pooler.pid")) {
            let _ = Command::new("kill").arg(pooler.trim()).status();
        }
        let _ = self.control().args(["-s", "-w", "-m", "immediate", "stop"]).status();
    }
}

pub fn pool(address: &str) -> Pool {
    Pool::builder(Manager::new(address.parse().unwrap(), NoTls)).max_size(8).build().unwrap()
}

/// The folder of a program: where Debian has it, or in the path. Without it, a test is left out.
fn installed(program: &str) -> Option<PathBuf> {
    let debian = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut folders: Vec<_> = debian.map(|version| version.path().join("bin")).collect();
    folders.sort();
    folders.reverse();
    folders.push("/usr/sbin".into());
    folders.extend(env::split_paths(&env::var_os("PATH").unwrap_or_default()));
    let found = folders.into_iter().find(|folder| folder.join(program).is_file());
    if found.is_none() {
        assert!(env::var_os("BDC_COMPLETE").is_none(), "{program} is not installed");
        println!("left out: {program} is not installed");
    }
    found
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output().unwrap();
    id.stdout.trim_ascii() == b"0"
}

fn run(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}
